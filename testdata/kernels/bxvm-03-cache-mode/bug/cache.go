// Package bug caches the entries of the working set.
package bug

import (
	"sync"
	"sync/atomic"
	"time"
)

// Cache modes.
const (
	split     = 0
	switching = 1
	whole     = 2
)

// table is a cache of limited size that locks itself.
type table struct {
	mu       sync.RWMutex
	m        map[string][]byte
	bytes    int
	maxBytes int
}

func newTable(maxBytes int) *table {
	return &table{m: make(map[string][]byte), maxBytes: maxBytes}
}

func (t *table) get(key string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[key]
	return v, ok
}

func (t *table) set(key string, val []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.m[key]; ok {
		t.bytes -= len(key) + len(old)
	}
	t.m[key] = val
	t.bytes += len(key) + len(val)
}

func (t *table) size() (n, maxBytes int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.bytes, t.maxBytes
}

func (t *table) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.m)
	t.bytes = 0
}

// Cache is a cache for working set entries.
type Cache struct {
	curr atomic.Pointer[table]
	prev atomic.Pointer[table]
	mode atomic.Uint32

	evicted  atomic.Int64
	misses   atomic.Uint64
	maxBytes int

	// mu serializes access to curr, prev and mode
	// in expirationWatcher and cacheSizeWatcher.
	mu sync.Mutex

	wg     sync.WaitGroup
	stopCh chan struct{}
}

// New creates new cache with the given maxBytes capacity.
func New(maxBytes int, expire time.Duration) *Cache {
	c := &Cache{maxBytes: maxBytes, stopCh: make(chan struct{})}
	c.curr.Store(newTable(maxBytes / 2))
	c.prev.Store(newTable(maxBytes / 2))
	c.wg.Go(func() { c.expirationWatcher(expire) })
	c.wg.Go(c.cacheSizeWatcher)
	return c
}

func (c *Cache) expirationWatcher(expire time.Duration) {
	t := time.NewTicker(expire)
	defer t.Stop()
	for {
		select {
		case <-c.stopCh:
			return
		case <-t.C:
		}
		c.mu.Lock()
		if c.mode.Load() != split {
			c.mu.Unlock()
			continue
		}
		// Reset prev cache and swap it with the curr cache.
		prev := c.prev.Load()
		c.prev.Store(c.curr.Load())
		c.drop(prev)
		c.curr.Store(prev)
		c.mu.Unlock()
	}
}

func (c *Cache) drop(t *table) {
	n, _ := t.size()
	c.evicted.Add(int64(n))
	t.reset()
}

func (c *Cache) cacheSizeWatcher() {
	t := time.NewTicker(1500 * time.Millisecond)
	defer t.Stop()
	var maxBytesSize int
	for {
		select {
		case <-c.stopCh:
			return
		case <-t.C:
		}
		if c.mode.Load() != split {
			continue
		}
		n, maxBytes := c.curr.Load().size()
		if n >= maxBytes*9/10 {
			maxBytesSize = maxBytes
			break
		}
	}

	// curr cache size exceeds 90% of its capacity: double its size in the
	// following steps: switch to mode=switching and move curr to prev, wait
	// until the new curr is populated, switch to mode=whole and drop prev.
	c.mu.Lock()
	c.mode.Store(switching)
	prev := c.prev.Load()
	c.prev.Store(c.curr.Load())
	c.drop(prev)
	c.curr.Store(newTable(c.maxBytes))
	c.mu.Unlock()

	for {
		select {
		case <-c.stopCh:
			return
		case <-t.C:
		}
		if n, _ := c.curr.Load().size(); n >= maxBytesSize {
			break
		}
	}

	c.mu.Lock()
	c.mode.Store(whole)
	prev = c.prev.Load()
	c.prev.Store(newTable(1024))
	c.drop(prev)
	c.mu.Unlock()
}

// Reset resets the cache.
func (c *Cache) Reset() {
	c.drop(c.prev.Load())
	c.drop(c.curr.Load())
	// Reset the mode to `split` in the hope the working set size becomes smaller after the reset.
	c.mode.Store(split)
	c.misses.Store(0)
}

// Get returns the value of a key.
func (c *Cache) Get(key string) []byte {
	curr := c.curr.Load()
	if v, ok := curr.get(key); ok {
		return v
	}
	if c.mode.Load() == whole {
		c.misses.Add(1)
		return nil
	}
	// Search for the entry in the previous cache and keep it in the current one.
	v, ok := c.prev.Load().get(key)
	if !ok {
		c.misses.Add(1)
		return nil
	}
	curr.set(key, v)
	return v
}

// Set stores a value.
func (c *Cache) Set(key string, val []byte) { c.curr.Load().set(key, val) }

// Stop stops the cache.
func (c *Cache) Stop() {
	close(c.stopCh)
	c.wg.Wait()
}
