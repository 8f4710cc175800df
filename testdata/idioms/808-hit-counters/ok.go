// Package blobcache keeps recently used blobs in memory, up to a total size.
package blobcache

import (
	"container/list"
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// entry is a blob in the cache.
type entry struct {
	key  string
	data []byte
}

// meter counts what the cache does. The counters are for dashboards and are
// not consistent with each other or with the contents.
type meter struct {
	hits    atomic.Int64
	misses  atomic.Int64
	evicted atomic.Int64
	bytes   atomic.Int64 // ever stored
}

// Cache is a least-recently-used cache. It is safe for concurrent use.
type Cache struct {
	limit int
	meter meter

	mu      sync.Mutex
	size    int
	order   *list.List // of *entry, most recently used first
	entries map[string]*list.Element
}

// New returns a cache that holds up to limit bytes.
func New(limit int) *Cache {
	return &Cache{limit: limit, order: list.New(), entries: make(map[string]*list.Element)}
}

// Get returns the blob called key. The caller must not modify it.
func (c *Cache) Get(key string) ([]byte, bool) {
	data, ok := c.touch(key)
	if ok {
		c.meter.hits.Add(1)
	} else {
		c.meter.misses.Add(1)
	}
	return data, ok
}

// touch finds a blob and makes it the most recently used.
func (c *Cache) touch(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).data, true
}

// Put stores a blob. Blobs are named by their digest: the data of a key is
// always the same. A blob larger than the cache is not kept.
func (c *Cache) Put(key string, data []byte) {
	if len(data) > c.limit {
		return
	}
	n, added := c.insert(key, data)
	if added {
		c.meter.bytes.Add(int64(len(data)))
	}
	c.meter.evicted.Add(int64(n))
}

// insert stores a blob, makes room for it, and returns how many blobs had to
// go.
func (c *Cache) insert(key string, data []byte) (evicted int, added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[key]; ok {
		c.order.MoveToFront(el)
		return 0, false
	}
	for c.size+len(data) > c.limit {
		last := c.order.Back()
		e := c.order.Remove(last).(*entry)
		delete(c.entries, e.key)
		c.size -= len(e.data)
		evicted++
	}
	c.entries[key] = c.order.PushFront(&entry{key: key, data: data})
	c.size += len(data)
	return evicted, true
}

// Ratio returns the share of hits since the start.
func (c *Cache) Ratio() float64 {
	hits := c.meter.hits.Load()
	total := hits + c.meter.misses.Load()
	if total == 0 {
		return 0
	}
	return float64(hits) / float64(total)
}

// usage returns the number of blobs and their size.
func (c *Cache) usage() (blobs, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.size
}

// String describes the cache for a log line.
func (c *Cache) String() string {
	blobs, size := c.usage()
	return fmt.Sprintf("%d blobs, %d of %d bytes, %.1f%% hits, %d evicted, %d bytes in",
		blobs, size, c.limit, 100*c.Ratio(), c.meter.evicted.Load(), c.meter.bytes.Load())
}

// Report logs the state of the cache until ctx ends.
func (c *Cache) Report(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			log.Printf("blobcache: %v", c)
		}
	}
}
