// Package resolver caches service discovery answers.
package resolver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Lookup asks the discovery backend.
type Lookup func(ctx context.Context, service string) ([]string, error)

type entry struct {
	addrs   []string
	expires time.Time
}

// Cache remembers answers for ttl or until they are invalidated.
type Cache struct {
	lookup Lookup
	ttl    time.Duration

	mu      sync.RWMutex
	gen     uint64
	entries map[string]entry
}

// NewCache returns an empty cache.
func NewCache(lookup Lookup, ttl time.Duration) *Cache {
	return &Cache{lookup: lookup, ttl: ttl, entries: make(map[string]entry)}
}

// Resolve returns the addresses of service.
func (c *Cache) Resolve(ctx context.Context, service string) ([]string, error) {
	c.mu.RLock()
	e, ok := c.entries[service]
	gen := c.gen
	c.mu.RUnlock()
	if ok && time.Now().Before(e.expires) {
		return slices.Clone(e.addrs), nil
	}

	addrs, err := c.lookup(ctx, service)
	if err != nil {
		return nil, err
	}

	c.mu.Lock()
	if c.gen == gen {
		c.entries[service] = entry{addrs: slices.Clone(addrs), expires: time.Now().Add(c.ttl)}
	}
	c.mu.Unlock()
	return addrs, nil
}

// Invalidate forgets every answer; the registry calls it on each change.
func (c *Cache) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen++
	clear(c.entries)
}

// Prune drops answers that have expired.
func (c *Cache) Prune() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	n := 0
	for service, e := range c.entries {
		if !now.Before(e.expires) {
			delete(c.entries, service)
			n++
		}
	}
	return n
}

// Watch invalidates the cache for each change until ctx ends.
func (c *Cache) Watch(ctx context.Context, changes <-chan struct{}) {
	t := time.NewTicker(c.ttl)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-changes:
			if !ok {
				return
			}
			c.Invalidate()
		case <-t.C:
			c.Prune()
		}
	}
}
