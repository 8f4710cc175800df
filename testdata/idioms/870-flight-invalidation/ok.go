// Package readcache caches rows of a slow table. Concurrent misses of a key
// share one load, and writers invalidate the keys they have written.
package readcache

import (
	"context"
	"errors"
	"sync"
)

var errPanicked = errors.New("readcache: loader panicked")

// Loader reads the committed value of a key from the table.
type Loader func(ctx context.Context, key string) ([]byte, error)

// flight is a load in progress.
type flight struct {
	done  chan struct{}
	value []byte // valid once done is closed
	err   error  // valid once done is closed
	stale bool   // the key was invalidated during the load; guarded by Cache.mu
}

// Cache is safe for concurrent use. A Get that starts after Invalidate has
// returned does not see a value from before the invalidation.
type Cache struct {
	load Loader
	max  int

	mu      sync.Mutex
	values  map[string][]byte
	flights map[string]*flight
}

// New returns a cache of up to limit rows.
func New(load Loader, limit int) *Cache {
	return &Cache{
		load:    load,
		max:     limit,
		values:  make(map[string][]byte),
		flights: make(map[string]*flight),
	}
}

// Get returns the value of key, from the cache if possible.
func (c *Cache) Get(ctx context.Context, key string) ([]byte, error) {
	value, f, leads := c.join(key)
	if f == nil {
		return value, nil
	}
	if leads {
		go c.fly(context.WithoutCancel(ctx), key, f)
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Invalidate removes a key after it was written to the table.
func (c *Cache) Invalidate(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.values, key)
	if f := c.flights[key]; f != nil {
		f.stale = true
		delete(c.flights, key)
	}
}

// Len returns the number of cached rows.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.values)
}

// join returns the cached value of key, or else the flight that loads it. It
// reports whether the caller has to start that flight.
func (c *Cache) join(key string) (value []byte, f *flight, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.values[key]; ok {
		return value, nil, false
	}
	if f := c.flights[key]; f != nil {
		return nil, f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[key] = f
	return nil, f, true
}

// fly loads a key and ends the flight.
func (c *Cache) fly(ctx context.Context, key string, f *flight) {
	value, err := c.guardedLoad(ctx, key)
	c.land(key, f, value, err)
	f.value, f.err = value, err
	close(f.done)
}

// guardedLoad turns a panic of the loader into an error.
func (c *Cache) guardedLoad(ctx context.Context, key string) (value []byte, err error) {
	defer func() {
		if recover() != nil {
			value, err = nil, errPanicked
		}
	}()
	return c.load(ctx, key)
}

// land takes a flight off the board and caches its value, unless the flight
// was marked stale.
func (c *Cache) land(key string, f *flight, value []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.stale {
		return
	}
	delete(c.flights, key)
	if err != nil {
		return
	}
	if len(c.values) >= c.max {
		for victim := range c.values {
			delete(c.values, victim)
			break
		}
	}
	c.values[key] = value
}
