// Package readthrough is a cache in front of a slow origin.
package readthrough

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Loader gets a value from the origin.
type Loader[K comparable, V any] func(ctx context.Context, key K) (V, error)

type entry[V any] struct {
	value V
	until time.Time
}

// Stats counts what a cache did.
type Stats struct {
	Hits, Misses, Failures uint64
}

// Cache keeps loaded values until they expire or are invalidated.
type Cache[K comparable, V any] struct {
	load Loader[K, V]
	ttl  time.Duration

	mu      sync.RWMutex
	entries map[K]entry[V]
	purges  uint64

	hits, misses, failures atomic.Uint64
}

// New returns an empty cache.
func New[K comparable, V any](ttl time.Duration, load Loader[K, V]) *Cache[K, V] {
	return &Cache[K, V]{load: load, ttl: ttl, entries: make(map[K]entry[V])}
}

func (c *Cache[K, V]) peek(key K) (v V, purges uint64, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries[key]
	if !ok || time.Now().After(e.until) {
		return v, c.purges, false
	}
	return e.value, c.purges, true
}

func (c *Cache[K, V]) fill(key K, v V, purges uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.purges != purges {
		return
	}
	c.entries[key] = entry[V]{value: v, until: time.Now().Add(c.ttl)}
}

// Get returns the value of a key, from the origin if need be.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	v, purges, ok := c.peek(key)
	if ok {
		c.hits.Add(1)
		return v, nil
	}
	c.misses.Add(1)
	v, err := c.load(ctx, key)
	if err != nil {
		c.failures.Add(1)
		var zero V
		return zero, fmt.Errorf("readthrough: load %v: %w", key, err)
	}
	c.fill(key, v, purges)
	return v, nil
}

// Invalidate forgets keys. It is called after the origin was changed.
func (c *Cache[K, V]) Invalidate(keys ...K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.purges++
	for _, k := range keys {
		delete(c.entries, k)
	}
}

// Trim removes expired entries and returns how many there were.
func (c *Cache[K, V]) Trim(now time.Time) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, e := range c.entries {
		if now.After(e.until) {
			delete(c.entries, k)
			n++
		}
	}
	return n
}

// Stats returns the counters.
func (c *Cache[K, V]) Stats() Stats {
	return Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Failures: c.failures.Load()}
}
