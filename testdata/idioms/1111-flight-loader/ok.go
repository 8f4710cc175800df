// Correct: one load per key at a time (the flight), and its value is kept only
// if the flight is still the registered one when it ends, looked at in the
// section that stores. Invalidate unregisters the flight, so that a value read
// from the source before an invalidation cannot come into the cache after it.

// Package ok caches values that are expensive to load.
package ok

import (
	"context"
	"errors"
	"sync"
)

var errAborted = errors.New("load aborted")

type flight[V any] struct {
	done chan struct{}
	val  V
	err  error
}

// Loader caches the results of load.
type Loader[K comparable, V any] struct {
	load func(K) (V, error)

	mu      sync.Mutex
	vals    map[K]V
	flights map[K]*flight[V]
}

func NewLoader[K comparable, V any](load func(K) (V, error)) *Loader[K, V] {
	return &Loader[K, V]{
		load:    load,
		vals:    make(map[K]V),
		flights: make(map[K]*flight[V]),
	}
}

// Get returns the value of key, which is at least as new as the last
// Invalidate before the call.
func (l *Loader[K, V]) Get(ctx context.Context, key K) (V, error) {
	v, f, ok := l.join(key)
	if ok {
		return v, nil
	}
	select {
	case <-f.done:
		return f.val, f.err
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// join returns the cached value, or else the flight that will bring it.
func (l *Loader[K, V]) join(key K) (v V, f *flight[V], ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok = l.vals[key]; ok {
		return v, nil, true
	}
	if f, ok = l.flights[key]; ok {
		return v, f, false
	}
	f = &flight[V]{done: make(chan struct{}), err: errAborted}
	l.flights[key] = f
	go l.fly(key, f)
	return v, f, false
}

func (l *Loader[K, V]) fly(key K, f *flight[V]) {
	defer close(f.done)
	defer l.land(key, f)
	f.val, f.err = l.load(key)
}

func (l *Loader[K, V]) land(key K, f *flight[V]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flights[key] != f {
		return
	}
	delete(l.flights, key)
	if f.err == nil {
		l.vals[key] = f.val
	}
}

// Invalidate forgets key, also for a load under way.
func (l *Loader[K, V]) Invalidate(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.vals, key)
	delete(l.flights, key)
}

// InvalidateAll forgets everything.
func (l *Loader[K, V]) InvalidateAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.vals)
	clear(l.flights)
}
