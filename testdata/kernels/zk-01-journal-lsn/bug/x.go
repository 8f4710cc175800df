// Package bug ships a journal of key changes to a set of replicas.
package bug

import (
	"context"
	"sync"
	"time"
)

// Record is one change in the journal.
type Record struct {
	LSN uint64
	Key string
	Val []byte
	At  time.Time
}

type sequencer struct {
	mu   sync.Mutex
	next uint64
}

func (s *sequencer) take() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return s.next
}

// Sink receives batches of records.
type Sink interface {
	Apply(batch []Record)
}

// Journal collects records and ships them in batches.
type Journal struct {
	seq   sequencer
	limit int
	sinks []Sink
	kick  chan struct{}

	mu  sync.Mutex
	buf []Record

	shipMu sync.Mutex
}

// NewJournal returns a journal that ships to sinks once limit records wait.
func NewJournal(limit int, sinks ...Sink) *Journal {
	return &Journal{limit: limit, sinks: sinks, kick: make(chan struct{}, 1)}
}

// Append adds a record and returns its number.
func (j *Journal) Append(key string, val []byte) uint64 {
	rec := Record{LSN: j.seq.take(), Key: key, Val: val, At: time.Now()}
	j.mu.Lock()
	j.buf = append(j.buf, rec)
	full := len(j.buf) >= j.limit
	j.mu.Unlock()
	if full {
		select {
		case j.kick <- struct{}{}:
		default:
		}
	}
	return rec.LSN
}

// Ship sends what has been collected to every sink.
func (j *Journal) Ship() {
	j.shipMu.Lock()
	defer j.shipMu.Unlock()
	j.mu.Lock()
	batch := j.buf
	j.buf = nil
	j.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	for _, s := range j.sinks {
		s.Apply(batch)
	}
}

// Run ships until ctx ends.
func (j *Journal) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			j.Ship()
			return
		case <-t.C:
		case <-j.kick:
		}
		j.Ship()
	}
}

// Replica is a sink that keeps the newest value of every key.
type Replica struct {
	mu      sync.RWMutex
	applied uint64
	data    map[string][]byte
}

// NewReplica returns a replica that has applied everything up to from.
func NewReplica(from uint64) *Replica {
	return &Replica{applied: from, data: make(map[string][]byte)}
}

// Apply applies the records that the replica does not have yet. A batch may
// be delivered again after a reconnect.
func (r *Replica) Apply(batch []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range batch {
		if rec.LSN <= r.applied {
			continue
		}
		r.data[rec.Key] = rec.Val
		r.applied = rec.LSN
	}
}

// Get returns the value of key.
func (r *Replica) Get(key string) ([]byte, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, ok := r.data[key]
	return v, ok
}
