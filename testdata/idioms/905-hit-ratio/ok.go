// Package pagecache keeps decoded pages of the catalogue in memory. The least
// recently used page makes room for a new one.
package pagecache

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Key names a page.
type Key struct {
	Catalogue string
	Number    int
}

// Page is a decoded page. It is not changed.
type Page struct {
	Title string
	Items []string
}

// entry is what the list elements hold.
type entry struct {
	key  Key
	page *Page
}

// Cache is a cache of pages. It is safe for concurrent use.
type Cache struct {
	capacity int

	// The counters are for the log and for dashboards; each is right by itself.
	hits      atomic.Uint64
	misses    atomic.Uint64
	evictions atomic.Uint64

	mu    sync.Mutex
	pages map[Key]*list.Element
	used  *list.List // most recently used first
}

// New returns a cache for capacity pages, at least one.
func New(capacity int) *Cache {
	return &Cache{
		capacity: max(capacity, 1),
		pages:    make(map[Key]*list.Element),
		used:     list.New(),
	}
}

// Get returns a page if it is cached.
func (c *Cache) Get(k Key) (*Page, bool) {
	p := c.lookup(k)
	if p == nil {
		c.misses.Add(1)
		return nil, false
	}
	c.hits.Add(1)
	return p, true
}

func (c *Cache) lookup(k Key) *Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.pages[k]
	if !ok {
		return nil
	}
	c.used.MoveToFront(e)
	return e.Value.(*entry).page
}

// Put caches a page.
func (c *Cache) Put(k Key, p *Page) {
	if n := c.insert(k, p); n > 0 {
		c.evictions.Add(uint64(n))
	}
}

// insert enters the page and returns how many others had to go.
func (c *Cache) insert(k Key, p *Page) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.pages[k]; ok {
		e.Value.(*entry).page = p
		c.used.MoveToFront(e)
		return 0
	}
	c.pages[k] = c.used.PushFront(&entry{key: k, page: p})
	n := 0
	for c.used.Len() > c.capacity {
		last := c.used.Back()
		delete(c.pages, last.Value.(*entry).key)
		c.used.Remove(last)
		n++
	}
	return n
}

// Len returns the number of cached pages.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used.Len()
}

// HitRatio returns roughly the share of lookups that found their page since
// the start, between 0 and 1.
func (c *Cache) HitRatio() float64 {
	hits, misses := c.hits.Load(), c.misses.Load()
	return ratio(hits, misses)
}

// Report logs the traffic of each period until ctx ends.
func (c *Cache) Report(ctx context.Context, log *slog.Logger, period time.Duration) {
	t := time.NewTicker(period)
	defer t.Stop()
	var hits, misses, evictions uint64
	for {
		select {
		case <-t.C:
			h, m, e := c.hits.Load(), c.misses.Load(), c.evictions.Load()
			log.Info("page cache",
				"pages", c.Len(),
				"lookups", h-hits+m-misses,
				"ratio", ratio(h-hits, m-misses),
				"evictions", e-evictions)
			hits, misses, evictions = h, m, e
		case <-ctx.Done():
			return
		}
	}
}

// ratio returns the share of hits, which is 1 without any lookup.
func ratio(hits, misses uint64) float64 {
	total := hits + misses
	if total == 0 {
		return 1
	}
	return float64(hits) / float64(total)
}
