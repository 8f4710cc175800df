// Package cache keeps values that are slow to load.
package cache

import (
	"sync"
	"time"
)

type item[V any] struct {
	value   V
	expires time.Time
}

// Cache is a cache in front of a loader. Whoever changes a value at its origin
// calls Invalidate afterwards; Get does not return older values then.
type Cache[K comparable, V any] struct {
	load func(K) (V, error)
	ttl  time.Duration

	mu      sync.Mutex
	entries map[K]item[V]
}

// New returns an empty cache.
func New[K comparable, V any](ttl time.Duration, load func(K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{load: load, ttl: ttl, entries: make(map[K]item[V])}
}

// Get returns a value from the cache or from the loader.
func (c *Cache[K, V]) Get(key K) (V, error) {
	c.mu.Lock()
	it, ok := c.entries[key]
	c.mu.Unlock()
	if ok && time.Now().Before(it.expires) {
		return it.value, nil
	}
	v, err := c.load(key)
	if err != nil {
		var zero V
		return zero, err
	}
	c.mu.Lock()
	c.entries[key] = item[V]{value: v, expires: time.Now().Add(c.ttl)}
	c.mu.Unlock()
	return v, nil
}

// Invalidate forgets a value.
func (c *Cache[K, V]) Invalidate(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// Purge forgets the values that have expired, and returns their number.
func (c *Cache[K, V]) Purge() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for k, it := range c.entries {
		if now.After(it.expires) {
			delete(c.entries, k)
			n++
		}
	}
	return n
}

// Len returns the number of values in the cache.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}
