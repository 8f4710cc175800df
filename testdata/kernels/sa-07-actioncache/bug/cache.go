// Package actioncache runs build actions and remembers their results.
package actioncache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

type call[V any] struct {
	ready chan struct{}
	val   V
	err   error
}

// Cache runs a function for each key and keeps the results of those that
// succeed. Callers that ask for a key that is being computed share the result.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	done    map[K]V
	running map[K]*call[V]
	hits    atomic.Int64
}

// New returns an empty cache.
func New[K comparable, V any]() *Cache[K, V] {
	return &Cache[K, V]{done: make(map[K]V), running: make(map[K]*call[V])}
}

func (c *Cache[K, V]) lookup(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.done[k]
	return v, ok
}

// join returns the call for k, and whether the caller has to run it.
func (c *Cache[K, V]) join(k K) (*call[V], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cl, ok := c.running[k]; ok {
		return cl, false
	}
	cl := &call[V]{ready: make(chan struct{})}
	c.running[k] = cl
	return cl, true
}

func (c *Cache[K, V]) finish(k K, cl *call[V]) {
	c.mu.Lock()
	delete(c.running, k)
	if cl.err == nil {
		c.done[k] = cl.val
	}
	c.mu.Unlock()
	close(cl.ready)
}

// Do returns the result for k, and runs fn if there is none yet. The action
// behind fn is not repeatable: it must not run again after it has succeeded.
func (c *Cache[K, V]) Do(ctx context.Context, k K, fn func(context.Context) (V, error)) (V, error) {
	if v, ok := c.lookup(k); ok {
		c.hits.Add(1)
		return v, nil
	}
	cl, owner := c.join(k)
	if owner {
		cl.val, cl.err = fn(ctx)
		c.finish(k, cl)
		return cl.val, cl.err
	}
	select {
	case <-cl.ready:
		return cl.val, cl.err
	case <-ctx.Done():
		var zero V
		return zero, ctx.Err()
	}
}

// Hits counts the calls that were served from a stored result.
func (c *Cache[K, V]) Hits() int64 { return c.hits.Load() }

// Target is a node of the build graph.
type Target struct {
	Name string
	Deps []*Target
	Run  func(ctx context.Context, inputs []string) (output string, err error)
}

// Builder builds targets, dependencies first and in parallel.
type Builder struct {
	cache *Cache[string, string]
}

// NewBuilder returns a builder without results.
func NewBuilder() *Builder {
	return &Builder{cache: New[string, string]()}
}

// Build returns the output of t.
func (b *Builder) Build(ctx context.Context, t *Target) (string, error) {
	inputs := make([]string, len(t.Deps))
	errs := make([]error, len(t.Deps))
	var wg sync.WaitGroup
	for i, d := range t.Deps {
		wg.Add(1)
		go func() {
			defer wg.Done()
			inputs[i], errs[i] = b.Build(ctx, d)
		}()
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return "", fmt.Errorf("%s: dependency %s: %w", t.Name, t.Deps[i].Name, err)
		}
	}
	return b.cache.Do(ctx, t.Name, func(ctx context.Context) (string, error) {
		return t.Run(ctx, inputs)
	})
}
