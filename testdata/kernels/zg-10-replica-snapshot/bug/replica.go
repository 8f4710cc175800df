// Package replica applies a replicated command log to a table of counters and
// writes snapshots from which a replica can be started again.
package replica

import (
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Entry is one committed command of the log.
type Entry struct {
	Index uint64
	Key   string
	Delta int64
}

// Snapshot is the state after the entry at Index. A replica that starts from
// it is fed the log from Index+1.
type Snapshot struct {
	Index  uint64           `json:"index"`
	Counts map[string]int64 `json:"counts"`
}

// Log delivers committed entries in order, starting at the given index. The
// channel is closed when the log is.
type Log interface {
	Follow(from uint64) <-chan Entry
	Truncate(upTo uint64) error
}

// Target creates the file that the next snapshot goes to.
type Target interface {
	Create(index uint64) (io.WriteCloser, error)
}

type table struct {
	mu     sync.RWMutex
	counts map[string]int64
}

func (t *table) apply(e Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[e.Key] += e.Delta
}

func (t *table) get(key string) int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.counts[key]
}

func (t *table) dump() map[string]int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make(map[string]int64, len(t.counts))
	for k, v := range t.counts {
		out[k] = v
	}
	return out
}

// Replica follows a log. Reads may come from any goroutine.
type Replica struct {
	log     Log
	target  Target
	table   table
	applied atomic.Uint64

	snapMu   sync.Mutex // one snapshot at a time
	lastSnap uint64

	followed chan struct{}
}

// Start continues from snap, which may be the zero value, and takes a snapshot
// at every interval until the log ends.
func Start(log Log, target Target, snap Snapshot, every time.Duration) *Replica {
	r := &Replica{log: log, target: target, lastSnap: snap.Index, followed: make(chan struct{})}
	r.table.counts = make(map[string]int64, len(snap.Counts))
	for k, v := range snap.Counts {
		r.table.counts[k] = v
	}
	r.applied.Store(snap.Index)
	go r.follow(log.Follow(snap.Index + 1))
	go r.snapshots(every)
	return r
}

func (r *Replica) follow(entries <-chan Entry) {
	defer close(r.followed)
	for e := range entries {
		r.table.apply(e)
		r.applied.Store(e.Index)
	}
}

func (r *Replica) snapshots(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-r.followed:
			return
		case <-tick.C:
			// A snapshot that failed is made up for by the next one.
			_ = r.TakeSnapshot()
		}
	}
}

// TakeSnapshot writes a snapshot and lets the log forget what is in it.
func (r *Replica) TakeSnapshot() error {
	r.snapMu.Lock()
	defer r.snapMu.Unlock()
	snap := Snapshot{Index: r.applied.Load(), Counts: r.table.dump()}
	if snap.Index == r.lastSnap {
		return nil
	}
	w, err := r.target.Create(snap.Index)
	if err != nil {
		return err
	}
	if err := errors.Join(json.NewEncoder(w).Encode(snap), w.Close()); err != nil {
		return err
	}
	r.lastSnap = snap.Index
	return r.log.Truncate(snap.Index)
}

// Get returns the value of a counter on this replica.
func (r *Replica) Get(key string) int64 { return r.table.get(key) }

// Applied returns the index of the last entry that was applied.
func (r *Replica) Applied() uint64 { return r.applied.Load() }

// Done is closed once the log has ended and all entries have been applied.
func (r *Replica) Done() <-chan struct{} { return r.followed }
