// Package thumbs caches thumbnails in memory.
package thumbs

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// Image is an encoded thumbnail. It is not changed once it is in the cache.
type Image []byte

// Cache holds up to limit bytes of thumbnails and drops the oldest first. It
// is safe for concurrent use.
type Cache struct {
	limit int

	mu    sync.RWMutex
	items map[string]Image
	order []string
	bytes int

	// The counters feed the status page only. They are read one after the
	// other, so a page drawn under load may be off by the requests under way.
	hits   atomic.Int64
	misses atomic.Int64
}

// New returns an empty cache.
func New(limit int) *Cache {
	return &Cache{limit: limit, items: make(map[string]Image)}
}

// Get returns the thumbnail of key.
func (c *Cache) Get(key string) (Image, bool) {
	c.mu.RLock()
	img, ok := c.items[key]
	c.mu.RUnlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return img, ok
}

// Put enters the thumbnail of key. A thumbnail that is already there stays,
// since a key names its content.
func (c *Cache) Put(key string, img Image) {
	if len(img) > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[key]; ok {
		return
	}
	for c.bytes+len(img) > c.limit {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.bytes -= len(c.items[oldest])
		delete(c.items, oldest)
	}
	c.items[key] = img
	c.order = append(c.order, key)
	c.bytes += len(img)
}

// size returns the number of thumbnails and their bytes.
func (c *Cache) size() (items, bytes int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.items), c.bytes
}

// ServeHTTP draws the status page.
func (c *Cache) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	items, bytes := c.size()
	hits, misses := c.hits.Load(), c.misses.Load()
	ratio := 0.0
	if total := hits + misses; total > 0 {
		ratio = 100 * float64(hits) / float64(total)
	}
	fmt.Fprintf(w, "%d thumbnails, %d of %d bytes\n", items, bytes, c.limit)
	fmt.Fprintf(w, "%d hits, %d misses (about %.1f%%)\n", hits, misses, ratio)
}
