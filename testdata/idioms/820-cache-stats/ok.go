// Package thumbs serves thumbnails from a bounded memory cache.
package thumbs

import (
	"container/list"
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Counters are statistics for people to look at. They are maintained one by
// one, so figures that are read together may be a few requests apart.
type Counters struct {
	hits    atomic.Int64
	misses  atomic.Int64
	evicted atomic.Int64
	bytes   atomic.Int64 // sent to clients
}

// String describes the counters for the log.
func (c *Counters) String() string {
	hits, misses := c.hits.Load(), c.misses.Load()
	rate := 0.0
	if n := hits + misses; n > 0 {
		rate = 100 * float64(hits) / float64(n)
	}
	return fmt.Sprintf("hits=%d misses=%d (about %.0f%% hits) evicted=%d bytes=%d",
		hits, misses, rate, c.evicted.Load(), c.bytes.Load())
}

// Scaler makes a thumbnail from an image. The same key gives the same
// thumbnail.
type Scaler func(ctx context.Context, key string) ([]byte, error)

type item struct {
	key  string
	data []byte
}

// Cache keeps the thumbnails that were used last. It is safe for concurrent
// use. The slices it returns must not be changed.
type Cache struct {
	scale Scaler
	limit int
	stats Counters

	mu    sync.Mutex
	size  int
	order *list.List // of *item, last used first
	byKey map[string]*list.Element
}

// New returns a cache for up to limit bytes.
func New(limit int, scale Scaler) *Cache {
	return &Cache{
		scale: scale, limit: limit,
		order: list.New(), byKey: make(map[string]*list.Element),
	}
}

// Get returns the thumbnail for key.
func (c *Cache) Get(ctx context.Context, key string) ([]byte, error) {
	if data, ok := c.lookup(key); ok {
		c.stats.hits.Add(1)
		c.stats.bytes.Add(int64(len(data)))
		return data, nil
	}
	c.stats.misses.Add(1)
	data, err := c.scale(ctx, key)
	if err != nil {
		return nil, err
	}
	n := c.insert(key, data)
	c.stats.evicted.Add(int64(n))
	c.stats.bytes.Add(int64(len(data)))
	return data, nil
}

func (c *Cache) lookup(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*item).data, true
}

// insert adds a thumbnail unless it is there, and drops the oldest ones while
// the cache is too big. It returns the number of thumbnails dropped.
func (c *Cache) insert(key string, data []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		c.order.MoveToFront(el)
		return 0
	}
	c.byKey[key] = c.order.PushFront(&item{key, data})
	c.size += len(data)
	dropped := 0
	for c.size > c.limit && c.order.Len() > 1 {
		el := c.order.Back()
		old := c.order.Remove(el).(*item)
		delete(c.byKey, old.key)
		c.size -= len(old.data)
		dropped++
	}
	return dropped
}

// Usage returns the number of thumbnails and their size.
func (c *Cache) Usage() (n, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len(), c.size
}

// LogStats writes the statistics to the log every interval until ctx is done.
func (c *Cache) LogStats(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			n, size := c.Usage()
			log.Printf("thumbs: %d thumbnails, %d bytes; %s", n, size, &c.stats)
		case <-ctx.Done():
			return
		}
	}
}
