// Package warmup fills the shards of a cache once after start.
package warmup

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
)

// ErrNoShard means that a shard number is out of range.
var ErrNoShard = errors.New("warmup: no such shard")

type phase int

const (
	cold phase = iota
	warming
	warm
)

type shard struct {
	phase phase
	rows  map[string]string
	tries int
}

// Fetch reads the rows of a shard from the database.
type Fetch func(ctx context.Context, shard int) (map[string]string, error)

// Cache is filled shard by shard.
type Cache struct {
	fetch Fetch

	mu     sync.Mutex
	shards []*shard
}

// New returns a cold cache.
func New(n int, fetch Fetch) *Cache {
	c := &Cache{fetch: fetch, shards: make([]*shard, n)}
	for i := range c.shards {
		c.shards[i] = new(shard)
	}
	return c
}

func (c *Cache) claim(i int) (*shard, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < 0 || i >= len(c.shards) {
		return nil, false, fmt.Errorf("%w: %d", ErrNoShard, i)
	}
	s := c.shards[i]
	if s.phase != cold {
		return nil, false, nil
	}
	s.phase = warming
	s.tries++
	return s, true, nil
}

func (c *Cache) finish(s *shard, rows map[string]string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		s.phase = cold
		return
	}
	s.rows = rows
	s.phase = warm
}

// Warm fills a shard unless it is filled or being filled.
func (c *Cache) Warm(ctx context.Context, i int) error {
	s, mine, err := c.claim(i)
	if err != nil || !mine {
		return err
	}
	rows, err := c.fetch(ctx, i)
	c.finish(s, rows, err)
	if err != nil {
		return fmt.Errorf("warmup: shard %d: %w", i, err)
	}
	return nil
}

// Get returns a row, if its shard is warm.
func (c *Cache) Get(i int, key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < 0 || i >= len(c.shards) || c.shards[i].phase != warm {
		return "", false
	}
	v, ok := c.shards[i].rows[key]
	return v, ok
}

// WarmAll fills all shards with a few workers.
func (c *Cache) WarmAll(ctx context.Context, workers int) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				if err := c.Warm(ctx, i); err != nil {
					log.Print(err)
				}
			}
		})
	}
	for i := range c.shards {
		next <- i
	}
	close(next)
	wg.Wait()
}
