// Package cache is a small map with a time to live.
package cache

import (
	"sync"
	"time"
)

type item[V any] struct {
	value   V
	expires time.Time
}

// Cache is safe for concurrent use.
type Cache[V any] struct {
	ttl time.Duration

	mu    sync.Mutex
	items map[string]item[V]
	epoch uint64 // counts the deletions
}

func New[V any](ttl time.Duration) *Cache[V] {
	return &Cache[V]{ttl: ttl, items: make(map[string]item[V])}
}

// Get returns the value of key unless it has expired.
func (c *Cache[V]) Get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it, ok := c.items[key]
	if ok && time.Now().After(it.expires) {
		delete(c.items, key)
		ok = false
	}
	if !ok {
		var zero V
		return zero, false
	}
	return it.value, true
}

// Epoch is to be read before a value is loaded that PutAt shall keep.
func (c *Cache[V]) Epoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// PutAt keeps the value for the time to live, unless something was deleted
// since the epoch was read: the value may be from before the deletion.
func (c *Cache[V]) PutAt(epoch uint64, key string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	c.items[key] = item[V]{value: v, expires: time.Now().Add(c.ttl)}
}

// Delete forgets the value of key.
func (c *Cache[V]) Delete(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.items, key)
}
