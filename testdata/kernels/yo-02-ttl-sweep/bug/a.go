// Package ttl is a small expiring cache with a background sweeper.
package ttl

import (
	"sync"
	"time"
)

type entry[V any] struct {
	val      V
	deadline time.Time
}

type Cache[K comparable, V any] struct {
	mu      sync.RWMutex
	items   map[K]entry[V]
	ttl     time.Duration
	onEvict func(K)
	stop    chan struct{}
	done    chan struct{}
}

func New[K comparable, V any](ttl time.Duration, onEvict func(K)) *Cache[K, V] {
	c := &Cache[K, V]{
		items:   make(map[K]entry[V]),
		ttl:     ttl,
		onEvict: onEvict,
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	go c.loop()
	return c
}

func (c *Cache[K, V]) loop() {
	defer close(c.done)
	t := time.NewTicker(c.ttl / 2)
	defer t.Stop()
	for {
		select {
		case <-c.stop:
			return
		case now := <-t.C:
			c.sweep(now)
		}
	}
}

func (c *Cache[K, V]) Set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = entry[V]{val: v, deadline: time.Now().Add(c.ttl)}
}

// Get returns the value for k and extends its life.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		var zero V
		return zero, false
	}
	e.deadline = time.Now().Add(c.ttl)
	c.items[k] = e
	return e.val, true
}

// stale lists the keys whose deadline has passed.
func (c *Cache[K, V]) stale(now time.Time) []K {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []K
	for k, e := range c.items {
		if now.After(e.deadline) {
			out = append(out, k)
		}
	}
	return out
}

// sweep drops stale entries. Scanning happens under the read lock so that
// readers of other keys are not held up by a large table.
func (c *Cache[K, V]) sweep(now time.Time) {
	dead := c.stale(now)
	if len(dead) == 0 {
		return
	}
	gone := dead[:0]
	c.mu.Lock()
	for _, k := range dead {
		if _, ok := c.items[k]; !ok {
			continue
		}
		delete(c.items, k)
		gone = append(gone, k)
	}
	c.mu.Unlock()
	for _, k := range gone {
		c.onEvict(k)
	}
}

func (c *Cache[K, V]) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.items)
}

// Close ends the sweeper; it must be called once.
func (c *Cache[K, V]) Close() {
	close(c.stop)
	<-c.done
}
