// Package fix is the memory in front of a time-series store: points stay
// readable here until the store has them.
package fix

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var ErrFull = errors.New("cache: memory limit reached")

type Point struct {
	Unix  int64
	Value float64
}

type Store interface {
	WritePoints(ctx context.Context, series map[string][]Point) error
}

type Cache struct {
	limit int
	store Store

	flush sync.Mutex // one flush at a time

	mu     sync.RWMutex
	series map[string][]Point
	count  int
}

func NewCache(limit int, s Store) *Cache {
	return &Cache{limit: limit, store: s, series: make(map[string][]Point)}
}

// Write adds points to a series.
func (c *Cache) Write(name string, pts ...Point) error {
	if len(pts) == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count+len(pts) > c.limit {
		return ErrFull
	}
	c.series[name] = append(c.series[name], pts...)
	c.count += len(pts)
	return nil
}

// Values returns the points of a series that are in memory.
func (c *Cache) Values(name string, from, to int64) []Point {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []Point
	for _, p := range c.series[name] {
		if p.Unix >= from && p.Unix < to {
			out = append(out, p)
		}
	}
	return out
}

// Flush moves what is in memory to the store. If the store fails, the points
// stay for the next time.
func (c *Cache) Flush(ctx context.Context) (int, error) {
	c.flush.Lock()
	defer c.flush.Unlock()

	batch := c.copyOut()
	if len(batch) == 0 {
		return 0, nil
	}
	if err := c.store.WritePoints(ctx, batch); err != nil {
		return 0, err
	}
	return c.release(batch), nil
}

func (c *Cache) copyOut() map[string][]Point {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string][]Point, len(c.series))
	for name, pts := range c.series {
		out[name] = slices.Clone(pts)
	}
	return out
}

func (c *Cache) release(batch map[string][]Point) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := 0
	for name, pts := range batch {
		n := len(pts)
		if rest := c.series[name][n:]; len(rest) > 0 {
			c.series[name] = slices.Clone(rest)
		} else {
			delete(c.series, name)
		}
		c.count -= n
		total += n
	}
	return total
}

// Count is the number of points in memory.
func (c *Cache) Count() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.count
}
