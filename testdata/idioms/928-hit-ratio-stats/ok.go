// Package pagecache is a bounded cache of immutable pages with usage statistics
// for the dashboard.
package pagecache

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// PageID names a page. The content behind an ID never changes.
type PageID struct {
	File uint32
	No   uint32
}

// Reader fetches pages from disk.
type Reader interface {
	ReadPage(id PageID) ([]byte, error)
}

// counters are kept for the dashboard. Each is exact in the long run; values read
// one after the other may belong to slightly different moments.
type counters struct {
	hits   atomic.Uint64
	misses atomic.Uint64
	evicts atomic.Uint64
}

// Summary is what the dashboard shows. The figures are approximate while the
// cache is in use.
type Summary struct {
	Lookups  uint64
	HitRatio float64 // 0 to 1
	Evicted  uint64
}

func (c *counters) summary() Summary {
	hits := c.hits.Load()
	misses := c.misses.Load()
	s := Summary{Lookups: hits + misses, Evicted: c.evicts.Load()}
	if s.Lookups > 0 {
		s.HitRatio = float64(hits) / float64(s.Lookups)
	}
	return s
}

type entry struct {
	id   PageID
	data []byte
}

// Cache is safe for concurrent use.
type Cache struct {
	src   Reader
	limit int
	stats counters

	mu    sync.Mutex
	pages map[PageID]*list.Element
	lru   *list.List // most recently used first
}

// New returns a cache of at most limit pages.
func New(src Reader, limit int) *Cache {
	return &Cache{src: src, limit: max(1, limit), pages: make(map[PageID]*list.Element), lru: list.New()}
}

// lookup returns a cached page and marks it as used.
func (c *Cache) lookup(id PageID) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.pages[id]
	if !ok {
		return nil, false
	}
	c.lru.MoveToFront(el)
	return el.Value.(*entry).data, true
}

// keep caches a page and returns the cached copy, which is an earlier one if
// another reader has brought the same page in meanwhile.
func (c *Cache) keep(id PageID, data []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.pages[id]; ok {
		c.lru.MoveToFront(el)
		return el.Value.(*entry).data
	}
	for c.lru.Len() >= c.limit {
		last := c.lru.Back()
		delete(c.pages, last.Value.(*entry).id)
		c.lru.Remove(last)
		c.stats.evicts.Add(1)
	}
	c.pages[id] = c.lru.PushFront(&entry{id: id, data: data})
	return data
}

// Page returns the content of a page, which the caller must not modify.
func (c *Cache) Page(id PageID) ([]byte, error) {
	if data, ok := c.lookup(id); ok {
		c.stats.hits.Add(1)
		return data, nil
	}
	c.stats.misses.Add(1)
	data, err := c.src.ReadPage(id)
	if err != nil {
		return nil, fmt.Errorf("pagecache: page %d of file %d: %w", id.No, id.File, err)
	}
	return c.keep(id, data), nil
}

// Len returns the number of cached pages.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Len()
}

// Summary returns the figures since the start of the process.
func (c *Cache) Summary() Summary { return c.stats.summary() }

// Rates is the traffic of one interval.
type Rates struct {
	Hits   float64 // per second
	Misses float64
}

// Watch calls show at every interval with the rates since the last call, until
// ctx ends.
func (c *Cache) Watch(ctx context.Context, interval time.Duration, show func(Rates)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	hits, misses := c.stats.hits.Load(), c.stats.misses.Load()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		h, m := c.stats.hits.Load(), c.stats.misses.Load()
		show(Rates{
			Hits:   float64(h-hits) / interval.Seconds(),
			Misses: float64(m-misses) / interval.Seconds(),
		})
		hits, misses = h, m
	}
}
