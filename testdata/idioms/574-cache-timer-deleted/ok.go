// Package ok is a cache whose entries expire.
package ok

import (
	"sync"
	"time"
)

type entry struct {
	item     any
	callback func()
	timer    *time.Timer
	// deleted is set by Remove if the timer has fired already. It tells the
	// function of the timer, which waits for the lock, to do nothing.
	deleted bool
}

// Cache is safe for concurrent use.
type Cache struct {
	timeout time.Duration

	mu    sync.Mutex
	cache map[any]*entry
}

// New returns a cache whose entries expire after the timeout.
func New(timeout time.Duration) *Cache {
	return &Cache{timeout: timeout, cache: make(map[any]*entry)}
}

// Add adds an item. When it expires, callback is called without locks. If
// there is an item with the key, Add returns that one and false.
func (c *Cache) Add(key, item any, callback func()) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.cache[key]; ok {
		return e.item, false
	}
	e := &entry{item: item, callback: callback}
	e.timer = time.AfterFunc(c.timeout, func() { c.expire(key, e) })
	c.cache[key] = e
	return item, true
}

func (c *Cache) expire(key any, e *entry) {
	c.mu.Lock()
	if e.deleted {
		c.mu.Unlock()
		return
	}
	delete(c.cache, key)
	c.mu.Unlock()
	e.callback()
}

// Remove removes the item with the key. Its callback will not be called.
func (c *Cache) Remove(key any) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.removeLocked(key)
	if e == nil {
		return nil, false
	}
	return e.item, true
}

func (c *Cache) removeLocked(key any) *entry {
	e, ok := c.cache[key]
	if !ok {
		return nil
	}
	delete(c.cache, key)
	if !e.timer.Stop() {
		e.deleted = true
	}
	return e
}

// Clear removes all items and calls their callbacks if run is set.
func (c *Cache) Clear(run bool) {
	var entries []*entry
	c.mu.Lock()
	for key := range c.cache {
		entries = append(entries, c.removeLocked(key))
	}
	c.mu.Unlock()
	if !run {
		return
	}
	for _, e := range entries {
		e.callback()
	}
}

// Len returns the number of items.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.cache)
}
