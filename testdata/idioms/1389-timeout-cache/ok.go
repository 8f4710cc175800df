package cache

import (
	"sync"
	"time"
)

type cacheEntry struct {
	item     any
	callback func()
	timer    *time.Timer
	deleted  bool
}

// TimeoutCache is a cache with items to be deleted after a timeout.
type TimeoutCache struct {
	mu      sync.Mutex
	timeout time.Duration
	cache   map[any]*cacheEntry
}

func NewTimeoutCache(timeout time.Duration) *TimeoutCache {
	return &TimeoutCache{timeout: timeout, cache: make(map[any]*cacheEntry)}
}

// Add adds an item; callback is called when the item times out.
func (c *TimeoutCache) Add(key, item any, callback func()) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.cache[key]; ok {
		return e.item, false
	}
	entry := &cacheEntry{item: item, callback: callback}
	entry.timer = time.AfterFunc(c.timeout, func() {
		c.mu.Lock()
		if entry.deleted {
			c.mu.Unlock()
			return
		}
		delete(c.cache, key)
		c.mu.Unlock()
		entry.callback()
	})
	c.cache[key] = entry
	return item, true
}

// Remove takes the item out; its callback is not going to be called.
func (c *TimeoutCache) Remove(key any) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.removeInternal(key)
	if !ok {
		return nil, false
	}
	return entry.item, true
}

// caller must hold c.mu.
func (c *TimeoutCache) removeInternal(key any) (*cacheEntry, bool) {
	entry, ok := c.cache[key]
	if !ok {
		return nil, false
	}
	delete(c.cache, key)
	if !entry.timer.Stop() {
		entry.deleted = true
	}
	return entry, true
}

// Clear removes all entries and runs their callbacks without the mutex.
func (c *TimeoutCache) Clear(runCallback bool) {
	var entries []*cacheEntry
	c.mu.Lock()
	for key := range c.cache {
		if e, ok := c.removeInternal(key); ok {
			entries = append(entries, e)
		}
	}
	c.mu.Unlock()
	if !runCallback {
		return
	}
	for _, e := range entries {
		e.callback()
	}
}
