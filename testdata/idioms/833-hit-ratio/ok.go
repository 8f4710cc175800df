// Package blockcache keeps recently used blocks of large files in memory.
package blockcache

import (
	"container/list"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Key names a block of a file. Files are never changed in place.
type Key struct {
	File  string
	Block int64
}

// Fetch reads a block from the file it belongs to.
type Fetch func(k Key) ([]byte, error)

// Stats describes the use of a cache. The counters are taken one by one while
// the cache is in use, so they are close to each other in time, not exact;
// Hits never exceeds Lookups.
type Stats struct {
	Lookups uint64
	Hits    uint64
	Evicted uint64
}

// Ratio is the share of lookups that were hits, between 0 and 1.
func (s Stats) Ratio() float64 {
	if s.Lookups == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Lookups)
}

type block struct {
	key  Key
	data []byte
}

// Cache is safe for concurrent use.
type Cache struct {
	fetch Fetch
	limit int

	lookups atomic.Uint64
	hits    atomic.Uint64
	evicted atomic.Uint64

	mu    sync.Mutex
	byKey map[Key]*list.Element
	order *list.List // most recently used first
}

// New returns a cache of at most limit blocks.
func New(fetch Fetch, limit int) *Cache {
	return &Cache{
		fetch: fetch,
		limit: limit,
		byKey: make(map[Key]*list.Element),
		order: list.New(),
	}
}

// Get returns the block; the caller must not change it.
func (c *Cache) Get(k Key) ([]byte, error) {
	c.lookups.Add(1)
	if data, ok := c.lookup(k); ok {
		c.hits.Add(1)
		return data, nil
	}
	data, err := c.fetch(k)
	if err != nil {
		return nil, err
	}
	c.evicted.Add(c.insert(k, data))
	return data, nil
}

func (c *Cache) lookup(k Key) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[k]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*block).data, true
}

// insert adds a block unless it is there and returns how many had to go.
func (c *Cache) insert(k Key, data []byte) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[k]; ok {
		c.order.MoveToFront(el)
		return 0
	}
	c.byKey[k] = c.order.PushFront(&block{key: k, data: data})
	var n uint64
	for c.order.Len() > c.limit {
		el := c.order.Back()
		c.order.Remove(el)
		delete(c.byKey, el.Value.(*block).key)
		n++
	}
	return n
}

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	var s Stats
	s.Hits = c.hits.Load()
	s.Evicted = c.evicted.Load()
	s.Lookups = c.lookups.Load()
	return s
}

// WriteMetrics writes the counters in the text exposition format.
func (c *Cache) WriteMetrics(w io.Writer) error {
	s := c.Stats()
	_, err := fmt.Fprintf(w,
		"blockcache_lookups_total %d\nblockcache_hits_total %d\nblockcache_evicted_total %d\nblockcache_hit_ratio %.4f\n",
		s.Lookups, s.Hits, s.Evicted, s.Ratio())
	return err
}
