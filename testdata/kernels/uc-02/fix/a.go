package a

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// entry is a cached value with the time at which it goes stale.
type entry[V any] struct {
	val     V
	expires time.Time
}

// victim is an entry that was found to be stale.
type victim[K cmp.Ordered] struct {
	key     K
	expires time.Time
}

// Cache is a map whose entries live for a fixed time after their last Set.
type Cache[K cmp.Ordered, V any] struct {
	mu  sync.RWMutex
	m   map[K]entry[V]
	ttl time.Duration
	now func() time.Time
}

// NewCache makes a cache whose entries live for ttl.
func NewCache[K cmp.Ordered, V any](ttl time.Duration) *Cache[K, V] {
	return &Cache[K, V]{m: make(map[K]entry[V]), ttl: ttl, now: time.Now}
}

// Set stores a value and starts its lifetime anew.
func (c *Cache[K, V]) Set(key K, val V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[key] = entry[V]{val: val, expires: c.now().Add(c.ttl)}
}

// Get returns a value that has not gone stale.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.m[key]
	if !ok || c.now().After(e.expires) {
		var zero V
		return zero, false
	}
	return e.val, true
}

// Delete removes a key and says whether it was there.
func (c *Cache[K, V]) Delete(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.m[key]
	delete(c.m, key)
	return ok
}

// deleteStale removes the entry that v describes.
func (c *Cache[K, V]) deleteStale(v victim[K]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[v.key]
	if !ok || !e.expires.Equal(v.expires) {
		return false
	}
	delete(c.m, v.key)
	return true
}

// stale lists the stale entries, those that went stale first in front.
func (c *Cache[K, V]) stale() []victim[K] {
	c.mu.RLock()
	defer c.mu.RUnlock()
	now := c.now()
	var out []victim[K]
	for k, e := range c.m {
		if now.After(e.expires) {
			out = append(out, victim[K]{key: k, expires: e.expires})
		}
	}
	slices.SortFunc(out, func(a, b victim[K]) int {
		return a.expires.Compare(b.expires)
	})
	return out
}

// Sweep removes at most limit stale entries and returns how many it removed.
// It takes the lock for one entry at a time, so that readers are not held up.
func (c *Cache[K, V]) Sweep(limit int) int {
	victims := c.stale()
	if len(victims) > limit {
		victims = victims[:limit]
	}
	n := 0
	for _, v := range victims {
		if c.deleteStale(v) {
			n++
		}
	}
	return n
}

// Len counts the entries, stale ones included.
func (c *Cache[K, V]) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.m)
}
