// Package a caches the secrets that a service reads from a vault. Several
// requests for the same path share one read.
package a

import (
	"context"
	"sync"
	"time"
)

// Reader reads a secret from the vault.
type Reader func(path string) (string, error)

// entry is a cached secret.
type entry struct {
	value   string
	expires time.Time
}

// flight is a read that is under way. The results may be looked at once done
// is closed.
type flight struct {
	done  chan struct{}
	value string
	err   error
}

// Cache keeps secrets for a limited time.
type Cache struct {
	read Reader
	ttl  time.Duration
	now  func() time.Time

	mu      sync.Mutex
	entries map[string]entry
	flights map[string]*flight
}

// New returns an empty cache.
func New(read Reader, ttl time.Duration) *Cache {
	return &Cache{
		read:    read,
		ttl:     ttl,
		now:     time.Now,
		entries: make(map[string]entry),
		flights: make(map[string]*flight),
	}
}

// Get returns the secret from the cache, or from a read that it starts or
// joins.
func (c *Cache) Get(ctx context.Context, path string) (string, error) {
	c.mu.Lock()
	if e, ok := c.entries[path]; ok && c.now().Before(e.expires) {
		c.mu.Unlock()
		return e.value, nil
	}
	f, joined := c.flights[path]
	if !joined {
		f = &flight{done: make(chan struct{})}
		c.flights[path] = f
	}
	c.mu.Unlock()

	if !joined {
		go c.run(path, f)
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// run reads the secret and keeps it, unless the path was invalidated since
// the read began; those who wait get the value in any case.
func (c *Cache) run(path string, f *flight) {
	defer close(f.done)
	f.value, f.err = c.read(path)

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[path] != f {
		return
	}
	delete(c.flights, path)
	if f.err == nil {
		c.entries[path] = entry{value: f.value, expires: c.now().Add(c.ttl)}
	}
}

// Invalidate is called after a secret was rotated. Whoever asks from then on
// gets the new one.
func (c *Cache) Invalidate(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, path)
	delete(c.flights, path)
}

// Purge drops the entries that have run out and returns their number.
func (c *Cache) Purge() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, now := 0, c.now()
	for path, e := range c.entries {
		if !now.Before(e.expires) {
			delete(c.entries, path)
			n++
		}
	}
	return n
}

// Len returns the number of entries, including ones that have run out.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}
