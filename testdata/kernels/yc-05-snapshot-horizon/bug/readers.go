package vstore

import (
	"sync"
	"sync/atomic"
)

// readerSet counts the open snapshots by timestamp.
type readerSet struct {
	mu   sync.Mutex
	open map[uint64]int
}

// enter adds a snapshot at ts.
func (r *readerSet) enter(ts uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[ts]++
}

// leave removes a snapshot at ts.
func (r *readerSet) leave(ts uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[ts]--; r.open[ts] == 0 {
		delete(r.open, ts)
	}
}

// horizon returns the oldest timestamp in use: that of the oldest open
// snapshot, or the clock when there is none.
func (r *readerSet) horizon(clock *atomic.Uint64) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	low := clock.Load()
	for ts := range r.open {
		low = min(low, ts)
	}
	return low
}
