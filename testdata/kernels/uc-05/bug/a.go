package a

import (
	"context"
	"sync"
	"time"
)

// call is one fetch that is under way, with those who wait for it.
type call[V any] struct {
	done chan struct{}
	val  V
	err  error
}

// Group lets concurrent requests for a key share one fetch from upstream.
type Group[K comparable, V any] struct {
	fetch   func(ctx context.Context, key K) (V, error)
	timeout time.Duration

	mu     sync.Mutex
	calls  map[K]*call[V]
	shared uint64
}

// NewGroup makes a group around a fetch function.
func NewGroup[K comparable, V any](timeout time.Duration, fetch func(context.Context, K) (V, error)) *Group[K, V] {
	return &Group[K, V]{
		fetch:   fetch,
		timeout: timeout,
		calls:   make(map[K]*call[V]),
	}
}

// join returns the fetch for a key and says whether the caller must start it.
func (g *Group[K, V]) join(key K) (c *call[V], first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.calls[key]; ok {
		g.shared++
		return c, false
	}
	c = &call[V]{done: make(chan struct{})}
	g.calls[key] = c
	return c, true
}

// Do returns the value of a key. When ctx ends first the fetch goes on for
// the other callers.
func (g *Group[K, V]) Do(ctx context.Context, key K) (V, error) {
	c, first := g.join(key)
	if first {
		go g.run(key, c)
	}
	select {
	case <-c.done:
		return c.val, c.err
	case <-ctx.Done():
		var zero V
		return zero, ctx.Err()
	}
}

// run does the fetch and hands its result to all who joined it.
func (g *Group[K, V]) run(key K, c *call[V]) {
	ctx, cancel := context.WithTimeout(context.Background(), g.timeout)
	defer cancel()
	c.val, c.err = g.fetch(ctx, key)
	// Whoever comes from now on asks upstream again.
	g.Forget(key)
	close(c.done)
}

// Forget makes the next Do for key start a fetch of its own. It is called
// when the key was written, so that a fetch from before is not joined.
func (g *Group[K, V]) Forget(key K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.calls, key)
}

// InFlight counts the keys that are being fetched.
func (g *Group[K, V]) InFlight() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.calls)
}

// Shared counts the requests that were spared a fetch of their own.
func (g *Group[K, V]) Shared() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shared
}
