package a

import (
	"context"
	"sync"
	"sync/atomic"
)

type Seat struct {
	Row   int
	Col   byte
	Taken bool
}

type SeatMap struct {
	Aircraft string
	Seats    []Seat
}

type Loader interface {
	LoadSeatMap(ctx context.Context, flight string) (*SeatMap, error)
}

type Cache struct {
	loader Loader
	max    int

	mu   sync.RWMutex
	maps map[string]*SeatMap
	gen  uint64

	hits, misses atomic.Uint64
}

func NewCache(l Loader, max int) *Cache {
	return &Cache{loader: l, max: max, maps: make(map[string]*SeatMap)}
}

// Get returns the seat map of a flight. The result is shared and read-only.
func (c *Cache) Get(ctx context.Context, flight string) (*SeatMap, error) {
	c.mu.RLock()
	m, ok := c.maps[flight]
	gen := c.gen
	c.mu.RUnlock()
	if ok {
		c.hits.Add(1)
		return m, nil
	}
	c.misses.Add(1)

	m, err := c.loader.LoadSeatMap(ctx, flight)
	if err != nil {
		return nil, err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gen != gen {
		return m, nil
	}
	c.shrinkLocked()
	c.maps[flight] = m
	return m, nil
}

func (c *Cache) shrinkLocked() {
	for flight := range c.maps {
		if len(c.maps) < c.max {
			return
		}
		delete(c.maps, flight)
	}
}

// SeatChanged is called by the change feed after a seat was sold or given back.
func (c *Cache) SeatChanged(flight string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.maps, flight)
	c.gen++
}

func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.maps)
}

func (c *Cache) Free(ctx context.Context, flight string) (int, error) {
	m, err := c.Get(ctx, flight)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, s := range m.Seats {
		if !s.Taken {
			n++
		}
	}
	return n, nil
}

func (c *Cache) Counters() (hits, misses uint64) {
	return c.hits.Load(), c.misses.Load()
}
