// Package pagecache caches pages of a database file in shards that evict the
// page used least recently, and exports counters about itself.
package pagecache

import (
	"container/list"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// PageID is the number of a page in the file.
type PageID uint64

// page is an immutable cached page.
type page struct {
	id   PageID
	data []byte
}

// Cache is safe for concurrent use.
type Cache struct {
	shards  []*shard
	metrics Metrics
}

// Metrics counts the accesses to a cache. The counters are independent of each
// other: a scrape during traffic sees each of them at a slightly different
// time, and the ratio derived from them is an approximation for dashboards.
type Metrics struct {
	hits      atomic.Uint64
	misses    atomic.Uint64
	evictions atomic.Uint64
}

// HitRatio returns about which part of the lookups was served from the cache.
func (m *Metrics) HitRatio() float64 {
	hits := m.hits.Load()
	misses := m.misses.Load()
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}

// WriteTo writes the metrics in the text exposition format.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	n, err := fmt.Fprintf(w,
		"pagecache_hits_total %d\npagecache_misses_total %d\npagecache_evictions_total %d\npagecache_hit_ratio %.3f\n",
		m.hits.Load(), m.misses.Load(), m.evictions.Load(), m.HitRatio())
	return int64(n), err
}

// shard is one independently locked part of a cache.
type shard struct {
	mu       sync.Mutex
	capacity int
	order    *list.List // of *page, most recently used first
	index    map[PageID]*list.Element
}

// New returns a cache with the given number of shards, each of which holds up
// to capacity pages.
func New(shards, capacity int) *Cache {
	c := &Cache{shards: make([]*shard, shards)}
	for i := range c.shards {
		c.shards[i] = &shard{
			capacity: max(capacity, 1),
			order:    list.New(),
			index:    make(map[PageID]*list.Element),
		}
	}
	return c
}

// Metrics returns the counters of the cache.
func (c *Cache) Metrics() *Metrics { return &c.metrics }

func (c *Cache) shard(id PageID) *shard {
	return c.shards[uint64(id)%uint64(len(c.shards))]
}

// Get returns a cached page. The caller must not modify the data.
func (c *Cache) Get(id PageID) ([]byte, bool) {
	data, ok := c.shard(id).get(id)
	if ok {
		c.metrics.hits.Add(1)
	} else {
		c.metrics.misses.Add(1)
	}
	return data, ok
}

// Add caches a page. Pages of a file that is cached are never written.
func (c *Cache) Add(id PageID, data []byte) {
	if c.shard(id).add(&page{id: id, data: data}) {
		c.metrics.evictions.Add(1)
	}
}

// Len returns about how many pages are cached.
func (c *Cache) Len() int {
	n := 0
	for _, sh := range c.shards {
		n += sh.len()
	}
	return n
}

func (s *shard) get(id PageID) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	el, ok := s.index[id]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(el)
	return el.Value.(*page).data, true
}

// add inserts or replaces a page. It reports whether it evicted another one.
func (s *shard) add(p *page) (evicted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if el, ok := s.index[p.id]; ok {
		el.Value = p
		s.order.MoveToFront(el)
		return false
	}
	if s.order.Len() >= s.capacity {
		last := s.order.Back()
		delete(s.index, last.Value.(*page).id)
		s.order.Remove(last)
		evicted = true
	}
	s.index[p.id] = s.order.PushFront(p)
	return evicted
}

func (s *shard) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len()
}
