package a

import (
	"sync"
	"sync/atomic"
	"time"
)

// cacheEntry is a block in memory. lastAccessTime is in seconds and only used to
// choose the entries to drop.
type cacheEntry struct {
	lastAccessTime atomic.Uint64
	block          []byte
}

// Cache holds blocks that can be loaded again at any time.
type Cache struct {
	mu       sync.RWMutex
	m        map[uint64]*cacheEntry
	requests atomic.Uint64
	misses   atomic.Uint64

	stopCh chan struct{}
	wg     sync.WaitGroup
}

func NewCache() *Cache {
	c := &Cache{m: make(map[uint64]*cacheEntry), stopCh: make(chan struct{})}
	c.wg.Add(1)
	go c.cleaner()
	return c
}

func (c *Cache) MustStop() {
	close(c.stopCh)
	c.wg.Wait()
}

func (c *Cache) cleaner() {
	defer c.wg.Done()
	t := time.NewTicker(30 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.cleanByTimeout()
		case <-c.stopCh:
			return
		}
	}
}

func (c *Cache) cleanByTimeout() {
	deadline := uint64(time.Now().Add(-2 * time.Minute).Unix())
	c.mu.Lock()
	for k, e := range c.m {
		if e.lastAccessTime.Load() < deadline {
			delete(c.m, k)
		}
	}
	c.mu.Unlock()
}

// Get returns the block, which must not be modified, or nil.
func (c *Cache) Get(k uint64) []byte {
	c.requests.Add(1)
	c.mu.RLock()
	e := c.m[k]
	c.mu.RUnlock()
	if e == nil {
		c.misses.Add(1)
		return nil
	}
	ct := uint64(time.Now().Unix())
	if e.lastAccessTime.Load() != ct {
		// Avoid writing to shared memory on every call.
		e.lastAccessTime.Store(ct)
	}
	return e.block
}

// Put stores the block unless there is one already.
func (c *Cache) Put(k uint64, block []byte) {
	e := &cacheEntry{block: block}
	e.lastAccessTime.Store(uint64(time.Now().Unix()))
	c.mu.Lock()
	if c.m[k] == nil {
		c.m[k] = e
	}
	c.mu.Unlock()
}

// Reader reads the blocks of an immutable file; used by many queries at once.
type Reader struct {
	cache *Cache
	load  func(k uint64) []byte
}

func NewReader(c *Cache, load func(k uint64) []byte) *Reader { return &Reader{c, load} }

func (r *Reader) Block(k uint64) []byte {
	if b := r.cache.Get(k); b != nil {
		return b
	}
	b := r.load(k)
	r.cache.Put(k, b)
	return b
}
