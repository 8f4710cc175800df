// Package rowcache caches rows of the metadata table.
package rowcache

import (
	"context"
	"sync"
)

// Row is immutable once it was loaded.
type Row struct {
	Key   string
	Value string
}

// Backend is the table behind the cache.
type Backend interface {
	Load(ctx context.Context, key string) (Row, error)
	Save(ctx context.Context, row Row) error
}

// Cache is a read-through cache with invalidation on write.
type Cache struct {
	backend Backend
	max     int

	mu    sync.RWMutex
	epoch uint64
	rows  map[string]Row
}

// New returns an empty cache of at most max rows. Keys received from changes
// were written by other servers.
func New(b Backend, max int, changes <-chan string) *Cache {
	c := &Cache{backend: b, max: max, rows: make(map[string]Row)}
	go func() {
		for key := range changes {
			c.Invalidate(key)
		}
	}()
	return c
}

// Get returns a row from the cache or the backend.
func (c *Cache) Get(ctx context.Context, key string) (Row, error) {
	row, epoch, ok := c.lookup(key)
	if ok {
		return row, nil
	}
	row, err := c.backend.Load(ctx, key)
	if err != nil {
		return Row{}, err
	}
	c.fill(row, epoch)
	return row, nil
}

func (c *Cache) lookup(key string) (Row, uint64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	row, ok := c.rows[key]
	return row, c.epoch, ok
}

// fill stores a row that was missing at the given epoch. The row is dropped if
// anything was invalidated since: it may be from before the write.
func (c *Cache) fill(row Row, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	if len(c.rows) >= c.max {
		for k := range c.rows {
			delete(c.rows, k)
			break
		}
	}
	c.rows[row.Key] = row
}

// Invalidate forgets a row. It must be called after the write was committed.
func (c *Cache) Invalidate(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.rows, key)
}

// Put writes through to the backend. The outcome of a failed write is not
// known, so the row is forgotten in any case.
func (c *Cache) Put(ctx context.Context, row Row) error {
	err := c.backend.Save(ctx, row)
	c.Invalidate(row.Key)
	return err
}
