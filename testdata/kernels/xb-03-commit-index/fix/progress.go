// Package progress tracks how far the followers of a replicated log have got
// and which part of the log is committed.
package progress

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type follower struct {
	match   uint64
	lastAck time.Time
}

type waiter struct {
	index uint64
	ready chan struct{}
}

// Tracker follows the acknowledgements of one leader term. Acks arrive on one
// connection per follower, so its methods are called concurrently.
type Tracker struct {
	committed atomic.Uint64

	mu        sync.Mutex
	self      uint64 // last index in the leader's own log
	followers map[string]*follower

	waitMu  sync.Mutex
	waiters []waiter
}

// New returns a Tracker for the given followers, starting at index committed.
func New(names []string, committed uint64) *Tracker {
	t := &Tracker{self: committed, followers: make(map[string]*follower)}
	for _, n := range names {
		t.followers[n] = &follower{}
	}
	t.committed.Store(committed)
	return t
}

// Committed returns the highest index known to be on a majority. It is on the
// read path of every linearizable read.
func (t *Tracker) Committed() uint64 { return t.committed.Load() }

// Appended records that the leader's own log now reaches index.
func (t *Tracker) Appended(index uint64) {
	t.mu.Lock()
	t.self = max(t.self, index)
	q := t.quorum()
	t.mu.Unlock()
	t.advance(q)
}

// Ack records that the named follower's log reaches index.
func (t *Tracker) Ack(name string, index uint64) error {
	t.mu.Lock()
	f, ok := t.followers[name]
	if !ok {
		t.mu.Unlock()
		return fmt.Errorf("progress: unknown follower %q", name)
	}
	f.match = max(f.match, index)
	f.lastAck = time.Now()
	q := t.quorum()
	t.mu.Unlock()
	t.advance(q)
	return nil
}

// quorum computes the index a majority has reached. The caller holds t.mu.
func (t *Tracker) quorum() uint64 {
	idx := make([]uint64, 0, len(t.followers)+1)
	idx = append(idx, t.self)
	for _, f := range t.followers {
		idx = append(idx, f.match)
	}
	slices.Sort(idx)
	return idx[(len(idx)-1)/2]
}

// advance publishes a new commit index and wakes whoever waits for it.
func (t *Tracker) advance(index uint64) {
	for {
		cur := t.committed.Load()
		if index <= cur {
			return
		}
		if t.committed.CompareAndSwap(cur, index) {
			break
		}
	}
	t.wake(index)
}

func (t *Tracker) wake(index uint64) {
	t.waitMu.Lock()
	defer t.waitMu.Unlock()
	t.waiters = slices.DeleteFunc(t.waiters, func(w waiter) bool {
		if w.index > index {
			return false
		}
		close(w.ready)
		return true
	})
}

// Wait blocks until index is committed.
func (t *Tracker) Wait(ctx context.Context, index uint64) error {
	t.waitMu.Lock()
	if t.committed.Load() >= index {
		t.waitMu.Unlock()
		return nil
	}
	ready := make(chan struct{})
	t.waiters = append(t.waiters, waiter{index, ready})
	t.waitMu.Unlock()

	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		t.forget(ready)
		return ctx.Err()
	}
}

func (t *Tracker) forget(ready chan struct{}) {
	t.waitMu.Lock()
	defer t.waitMu.Unlock()
	t.waiters = slices.DeleteFunc(t.waiters, func(w waiter) bool { return w.ready == ready })
}

// Silent lists the followers that have not acknowledged anything since t0.
func (t *Tracker) Silent(t0 time.Time) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for name, f := range t.followers {
		if f.lastAck.Before(t0) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
