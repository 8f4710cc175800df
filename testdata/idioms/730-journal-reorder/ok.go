package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
)

// Entry is one change.
type Entry struct {
	Seq     uint64
	Table   string
	Payload []byte
}

type journal struct {
	mu      sync.Mutex
	entries []Entry
	early   map[uint64]Entry
	changed chan struct{}
}

func newJournal() *journal {
	return &journal{early: make(map[uint64]Entry), changed: make(chan struct{})}
}

func (j *journal) nextLocked() uint64 { return uint64(len(j.entries)) + 1 }

func (j *journal) put(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.early[e.Seq] = e
	grown := false
	for {
		e, ok := j.early[j.nextLocked()]
		if !ok {
			break
		}
		delete(j.early, e.Seq)
		j.entries = append(j.entries, e)
		grown = true
	}
	if grown {
		close(j.changed)
		j.changed = make(chan struct{})
	}
}

func (j *journal) from(seq uint64) ([]Entry, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq > uint64(len(j.entries)) {
		return nil, j.changed
	}
	return append([]Entry(nil), j.entries[seq-1:]...), nil
}

// Recorder records the changes of all tables.
type Recorder struct {
	seq atomic.Uint64
	j   *journal
}

// NewRecorder returns a recorder with an empty journal.
func NewRecorder() *Recorder { return &Recorder{j: newJournal()} }

// Record appends a change. It is called by all sessions.
func (r *Recorder) Record(table string, row any) (uint64, error) {
	payload, err := json.Marshal(row)
	if err != nil {
		return 0, fmt.Errorf("journal: encode row of %s: %w", table, err)
	}
	seq := r.seq.Add(1)
	r.j.put(Entry{Seq: seq, Table: table, Payload: payload})
	return seq, nil
}

// Replica is where changes are applied.
type Replica interface {
	Apply(ctx context.Context, e Entry) error
}

// Follow applies all changes from seq on until ctx is done or one fails.
func (r *Recorder) Follow(ctx context.Context, seq uint64, rep Replica) error {
	if seq == 0 {
		seq = 1
	}
	for {
		entries, changed := r.j.from(seq)
		for _, e := range entries {
			if err := rep.Apply(ctx, e); err != nil {
				return fmt.Errorf("journal: apply %d: %w", e.Seq, err)
			}
			seq = e.Seq + 1
		}
		if changed == nil {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Fanout follows the journal for several replicas.
func (r *Recorder) Fanout(ctx context.Context, reps map[string]Replica, failed func(name string, err error)) {
	for name, rep := range reps {
		go func() {
			if err := r.Follow(ctx, 1, rep); err != nil && ctx.Err() == nil {
				failed(name, err)
			}
		}()
	}
}
