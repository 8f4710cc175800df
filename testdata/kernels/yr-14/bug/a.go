// Package farm distributes build actions to a fixed set of executors.
package farm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

type state = int32

const (
	queued state = iota
	running
	cancelled
	done
)

// Action is one compile or link step.
type Action struct {
	ID   string
	Argv []string

	state atomic.Int32
}

// Executor runs actions, usually on a remote machine.
type Executor interface {
	Execute(ctx context.Context, argv []string) error
}

// list is an ordered collection that may be searched while it grows.
type list[T any] struct {
	mu    sync.RWMutex
	items []T
}

func (l *list[T]) push(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, v)
}

// first returns the first item accepted by match.
func (l *list[T]) first(match func(T) bool) (v T, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, it := range l.items {
		if match(it) {
			return it, true
		}
	}
	return v, false
}

// Farm runs the actions of one build.
type Farm struct {
	actions list[*Action]
	failed  atomic.Int64
	wake    chan struct{}
}

func New() *Farm {
	return &Farm{wake: make(chan struct{}, 1)}
}

// Submit queues an action.
func (f *Farm) Submit(a *Action) {
	f.actions.push(a)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Cancel drops an action that was not started; it reports whether it did so.
func (f *Farm) Cancel(id string) bool {
	a, ok := f.actions.first(func(a *Action) bool { return a.ID == id })
	return ok && a.state.CompareAndSwap(queued, cancelled)
}

// Start runs one goroutine per executor.
func (f *Farm) Start(ctx context.Context, executors []Executor) {
	for _, e := range executors {
		go f.serve(ctx, e)
	}
}

func (f *Farm) serve(ctx context.Context, e Executor) {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		if a, ok := f.next(); ok {
			if err := e.Execute(ctx, a.Argv); err != nil {
				f.failed.Add(1)
			}
			a.state.Store(done)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-poll.C:
		}
	}
}

// next takes the oldest queued action.
func (f *Farm) next() (*Action, bool) {
	a, ok := f.actions.first(func(a *Action) bool { return a.state.Load() == queued })
	if ok {
		a.state.Store(running)
	}
	return a, ok
}

// Failed returns the number of failed actions.
func (f *Farm) Failed() int64 { return f.failed.Load() }
