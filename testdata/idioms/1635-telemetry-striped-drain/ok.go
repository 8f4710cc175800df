package a

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

type stripe struct {
	mu     sync.Mutex
	counts map[string]int64
}

func (s *stripe) add(name string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = make(map[string]int64)
	}
	s.counts[name] += n
}

func (s *stripe) drain() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.counts
	s.counts = nil
	return m
}

func (s *stripe) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.counts)
}

// Counters collects increments and ships them; the backend adds them up, so
// every increment has to arrive once, in whichever batch.
type Counters struct {
	ship    func(context.Context, map[string]int64) error
	seed    maphash.Seed
	stripes [16]stripe

	shipped atomic.Int64
	failed  atomic.Int64
}

func NewCounters(ship func(context.Context, map[string]int64) error) *Counters {
	return &Counters{ship: ship, seed: maphash.MakeSeed()}
}

// Add counts n for the series.
func (c *Counters) Add(name string, n int64) {
	h := maphash.String(c.seed, name)
	c.stripes[h%uint64(len(c.stripes))].add(name, n)
}

// Flush ships what has been counted; a failed batch is counted again.
func (c *Counters) Flush(ctx context.Context) error {
	batch := make(map[string]int64)
	for i := range c.stripes {
		s := &c.stripes[i]
		if s.size() == 0 {
			continue
		}
		for name, n := range s.drain() {
			batch[name] += n
		}
	}
	if len(batch) == 0 {
		return nil
	}
	if err := c.ship(ctx, batch); err != nil {
		for name, n := range batch {
			c.Add(name, n)
		}
		c.failed.Add(1)
		return err
	}
	c.shipped.Add(1)
	return nil
}

// Health returns the share of batches which arrived.
func (c *Counters) Health() float64 {
	ok, bad := c.shipped.Load(), c.failed.Load()
	if ok+bad == 0 {
		return 1
	}
	return float64(ok) / float64(ok+bad)
}
