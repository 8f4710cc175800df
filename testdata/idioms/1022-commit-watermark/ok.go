// Package progress computes the commit index of a replicated partition.
package progress

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Ack says that a replica has everything up to Index.
type Ack struct {
	Replica string
	Index   uint64
}

// Tracker follows the replicas of one leader term. The set of replicas does
// not change within a term.
type Tracker struct {
	quorum int
	commit atomic.Uint64 // stored under mu, never falls

	mu      sync.Mutex
	match   map[string]uint64
	changed chan struct{}
}

// NewTracker starts at a commit index that is known already.
func NewTracker(replicas []string, commit uint64) *Tracker {
	t := &Tracker{
		quorum:  len(replicas)/2 + 1,
		match:   make(map[string]uint64, len(replicas)),
		changed: make(chan struct{}),
	}
	for _, r := range replicas {
		t.match[r] = 0
	}
	t.commit.Store(commit)
	return t
}

// Committed returns the commit index.
func (t *Tracker) Committed() uint64 { return t.commit.Load() }

// Follow takes the acks of one replica connection.
func (t *Tracker) Follow(acks <-chan Ack) {
	go func() {
		for a := range acks {
			t.Ack(a)
		}
	}()
}

// Ack records an ack and moves the commit index if a quorum allows it. Acks
// may come late or out of order.
func (t *Tracker) Ack(a Ack) {
	if a.Index <= t.Committed() {
		// A replica at or below the commit index does not count for
		// anything above it.
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old, ok := t.match[a.Replica]
	if !ok || a.Index <= old {
		return
	}
	t.match[a.Replica] = a.Index
	if c := t.quorumIndexLocked(); c > t.commit.Load() {
		t.commit.Store(c)
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// quorumIndexLocked returns the highest index that a quorum has.
func (t *Tracker) quorumIndexLocked() uint64 {
	idx := make([]uint64, 0, len(t.match))
	for _, m := range t.match {
		idx = append(idx, m)
	}
	slices.Sort(idx)
	return idx[len(idx)-t.quorum]
}

// Wait returns when index is committed.
func (t *Tracker) Wait(ctx context.Context, index uint64) error {
	for t.Committed() < index {
		t.mu.Lock()
		changed := t.changed
		done := t.Committed() >= index
		t.mu.Unlock()
		if done {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
