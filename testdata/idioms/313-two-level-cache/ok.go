// Package ok remembers which metrics were indexed for which day.
package ok

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

type key struct{ date, metricID uint64 }

type set map[key]struct{}

func (s set) has(k key) bool {
	_, ok := s[k]
	return ok
}

// Cache has an immutable part that is read without the lock and a mutable
// part that is merged into it now and then.
type Cache struct {
	curr atomic.Pointer[set] // the set is immutable; replaced under mu

	mu       sync.Mutex
	prev     set // old immutable entries, until the next rotation
	next     set
	slowHits int

	stopCh chan struct{}
	wg     sync.WaitGroup
}

// NewCache starts the rotation.
func NewCache(period time.Duration) *Cache {
	c := &Cache{next: make(set), stopCh: make(chan struct{})}
	c.curr.Store(&set{})
	c.wg.Add(1)
	go c.rotateLoop(period)
	return c
}

func (c *Cache) rotateLoop(period time.Duration) {
	defer c.wg.Done()
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.rotate()
		case <-c.stopCh:
			return
		}
	}
}

// Has reports whether the entry was set. It may forget old entries.
func (c *Cache) Has(date, metricID uint64) bool {
	k := key{date, metricID}
	if c.curr.Load().has(k) {
		// Fast path. Most calls go here.
		return true
	}
	return c.hasSlow(k)
}

func (c *Cache) hasSlow(k key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	// The entry may have been moved to the immutable part before the lock
	// was taken.
	if c.curr.Load().has(k) {
		return true
	}
	ok := c.next.has(k)
	if !ok && c.prev.has(k) {
		// Keep entries that are in use.
		c.next[k] = struct{}{}
		ok = true
	}
	if ok {
		if c.slowHits++; c.slowHits > len(c.next)/2 {
			c.syncLocked()
		}
	}
	return ok
}

// Set adds an entry.
func (c *Cache) Set(date, metricID uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next[key{date, metricID}] = struct{}{}
}

// syncLocked merges the mutable part. The caller holds c.mu.
func (c *Cache) syncLocked() {
	curr := *c.curr.Load()
	merged := make(set, len(curr)+len(c.next))
	maps.Copy(merged, curr)
	maps.Copy(merged, c.next)
	c.curr.Store(&merged)
	c.next = make(set)
	c.slowHits = 0
}

// rotate forgets the entries that were not used for a period.
func (c *Cache) rotate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	curr := *c.curr.Load()
	c.curr.Store(&set{})
	c.prev = curr
}

// MustStop ends the rotation.
func (c *Cache) MustStop() {
	close(c.stopCh)
	c.wg.Wait()
}

// Index adds metrics to a per-day index.
type Index struct {
	cache *Cache
	put   func(date, metricID uint64) // adding an entry again has no effect
}

// NewIndex writes new entries with put.
func NewIndex(c *Cache, put func(date, metricID uint64)) *Index { return &Index{cache: c, put: put} }

// AddRows adds the entries that may be missing. It is called by many
// ingestion goroutines.
func (x *Index) AddRows(date uint64, metricIDs []uint64) {
	for _, id := range metricIDs {
		if x.cache.Has(date, id) {
			continue
		}
		x.put(date, id)
		x.cache.Set(date, id)
	}
}

// Ingest runs workers that add rows until in is closed.
func Ingest(x *Index, in <-chan map[uint64][]uint64, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for rows := range in {
				for date, ids := range rows {
					x.AddRows(date, ids)
				}
			}
		}()
	}
	wg.Wait()
}
