// Package replica is a read replica of the control plane's log: it applies
// entries in order and lets readers wait for an index.
package replica

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrGap is returned by Follow when entries are missing; the log must be
// followed anew from after Applied.
var ErrGap = errors.New("replica: entries are missing")

// Entry is one entry of the log.
type Entry struct {
	Index uint64
	Key   string
	Value string
}

type waiter struct {
	index uint64
	ready chan struct{}
}

// Replica is safe for concurrent use.
type Replica struct {
	// applied is the index of the last entry applied. It is written with mu
	// held and never goes down.
	applied atomic.Uint64

	mu      sync.RWMutex
	data    map[string]string
	waiters map[*waiter]struct{}
}

// New returns an empty replica.
func New() *Replica {
	return &Replica{data: make(map[string]string), waiters: make(map[*waiter]struct{})}
}

// Follow applies the entries from log until it is closed. The first of them
// has index 1 for a new replica. After a change of
// leader two followers can overlap and deliver the same entries.
func (r *Replica) Follow(ctx context.Context, log <-chan Entry) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-log:
			if !ok {
				return nil
			}
			if err := r.apply(e); err != nil {
				return err
			}
		}
	}
}

func (r *Replica) apply(e Entry) error {
	// Most of what a second follower brings is old.
	if e.Index <= r.applied.Load() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch last := r.applied.Load(); {
	case e.Index <= last:
		return nil
	case e.Index > last+1:
		return ErrGap
	}
	r.data[e.Key] = e.Value
	r.applied.Store(e.Index)
	for w := range r.waiters {
		if w.index <= e.Index {
			delete(r.waiters, w)
			close(w.ready)
		}
	}
	return nil
}

// Applied returns the index of the last entry applied.
func (r *Replica) Applied() uint64 {
	return r.applied.Load()
}

// Wait returns when the entry with the given index has been applied.
func (r *Replica) Wait(ctx context.Context, index uint64) error {
	if r.applied.Load() >= index {
		return nil
	}
	w := r.enlist(index)
	if w == nil {
		return nil
	}
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		r.mu.Lock()
		delete(r.waiters, w)
		r.mu.Unlock()
		return ctx.Err()
	}
}

func (r *Replica) enlist(index uint64) *waiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.applied.Load() >= index {
		return nil
	}
	w := &waiter{index: index, ready: make(chan struct{})}
	r.waiters[w] = struct{}{}
	return w
}

// ReadAt returns the value of key, with all entries up to index in effect and
// perhaps later ones.
func (r *Replica) ReadAt(ctx context.Context, index uint64, key string) (string, bool, error) {
	if err := r.Wait(ctx, index); err != nil {
		return "", false, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, ok := r.data[key]
	return v, ok, nil
}
