// Package feed is an append-only list of events that readers follow.
package feed

import (
	"context"
	"sync"
	"time"
)

// Log only ever grows.
type Log[T any] struct {
	mu    sync.RWMutex
	items []T
	grown chan struct{}
}

func NewLog[T any]() *Log[T] {
	return &Log[T]{grown: make(chan struct{})}
}

func (l *Log[T]) Append(v T) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, v)
	close(l.grown)
	l.grown = make(chan struct{})
	return len(l.items) - 1
}

func (l *Log[T]) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

func (l *Log[T]) At(i int) T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

func (l *Log[T]) growth() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.grown
}

type Event struct {
	At   time.Time
	Kind string
	Body string
}

type Feed struct {
	log *Log[Event]
}

func New() *Feed { return &Feed{log: NewLog[Event]()} }

func (f *Feed) Publish(kind, body string) int {
	return f.log.Append(Event{At: time.Now(), Kind: kind, Body: body})
}

// Latest returns the newest event there is.
func (f *Feed) Latest() (Event, bool) {
	n := f.log.Len()
	if n == 0 {
		return Event{}, false
	}
	return f.log.At(n - 1), true
}

// Page returns up to size events from position from.
func (f *Feed) Page(from, size int) []Event {
	end := min(from+size, f.log.Len())
	var out []Event
	for i := from; i < end; i++ {
		out = append(out, f.log.At(i))
	}
	return out
}

// Follow calls fn for every event from position from on.
func (f *Feed) Follow(ctx context.Context, from int, fn func(Event)) error {
	for {
		more := f.log.growth()
		for ; from < f.log.Len(); from++ {
			fn(f.log.At(from))
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
