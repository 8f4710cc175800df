// Package apply feeds committed entries to the state machine and lets readers wait for them.
package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrStopped is returned once the applier has ended.
var ErrStopped = errors.New("apply: stopped")

// Entry is a committed entry of the log.
type Entry struct {
	Index uint64
	Data  []byte
}

// StateMachine is what entries are applied to.
type StateMachine interface {
	Apply(e Entry) error
}

type waiter struct {
	index uint64
	ready chan struct{}
}

// Applier applies entries in order.
type Applier struct {
	sm   StateMachine
	done chan struct{}

	mu struct {
		sync.Mutex
		applied uint64
		waiters []waiter
	}
}

// New returns an applier for a state machine that already holds everything up to index.
func New(sm StateMachine, index uint64) *Applier {
	a := &Applier{sm: sm, done: make(chan struct{})}
	a.mu.applied = index
	return a
}

// Applied returns the index of the last applied entry.
func (a *Applier) Applied() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mu.applied
}

// advance moves the applied index and wakes the readers that waited for it.
func (a *Applier) advance(index uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.applied = index
	rest := a.mu.waiters[:0]
	for _, w := range a.mu.waiters {
		if w.index <= index {
			close(w.ready)
		} else {
			rest = append(rest, w)
		}
	}
	a.mu.waiters = rest
}

// register adds a waiter for index.
// It returns nil if the index is applied already.
func (a *Applier) register(index uint64) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mu.applied >= index {
		return nil
	}
	ready := make(chan struct{})
	a.mu.waiters = append(a.mu.waiters, waiter{index: index, ready: ready})
	return ready
}

func (a *Applier) unregister(ready chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, w := range a.mu.waiters {
		if w.ready == ready {
			a.mu.waiters = append(a.mu.waiters[:i], a.mu.waiters[i+1:]...)
			return
		}
	}
}

// WaitApplied returns when the entry at index has been applied.
func (a *Applier) WaitApplied(ctx context.Context, index uint64) error {
	if a.Applied() >= index {
		return nil
	}
	ready := a.register(index)
	if ready == nil {
		return nil
	}
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		a.unregister(ready)
		return fmt.Errorf("apply: wait for %d: %w", index, ctx.Err())
	case <-a.done:
		return ErrStopped
	}
}

// Run applies what arrives until the channel is closed, ctx ends or the state machine fails.
func (a *Applier) Run(ctx context.Context, committed <-chan []Entry) error {
	defer close(a.done)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case batch, ok := <-committed:
			if !ok {
				return nil
			}
			if len(batch) == 0 {
				continue
			}
			for _, e := range batch {
				if err := a.sm.Apply(e); err != nil {
					return fmt.Errorf("apply: entry %d: %w", e.Index, err)
				}
			}
			a.advance(batch[len(batch)-1].Index)
		}
	}
}

// Read runs query after everything up to index has been applied.
func Read[T any](ctx context.Context, a *Applier, index uint64, query func() (T, error)) (T, error) {
	if err := a.WaitApplied(ctx, index); err != nil {
		var zero T
		return zero, err
	}
	return query()
}
