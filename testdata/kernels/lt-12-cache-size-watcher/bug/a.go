package workingsetcache

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

type store struct {
	maxBytes int

	mu    sync.RWMutex
	m     map[string][]byte
	bytes int
}

func newStore(maxBytes int) *store {
	return &store{maxBytes: maxBytes, m: make(map[string][]byte)}
}

func (s *store) get(key string) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.m[key]
	return v, ok
}

func (s *store) set(key string, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += len(value) - len(s.m[key])
	s.m[key] = value
}

func (s *store) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bytes
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m = make(map[string][]byte)
	s.bytes = 0
}

// Cache evicts the entries that were not accessed for some time.
type Cache struct {
	maxBytes int
	curr     atomic.Pointer[store]
	prev     atomic.Pointer[store]
	mode     atomic.Uint32

	// mu serializes changes of curr, prev and mode.
	mu     sync.Mutex
	stopCh chan struct{}
}

func New(maxBytes int, expire time.Duration) *Cache {
	c := &Cache{maxBytes: maxBytes, stopCh: make(chan struct{})}
	c.curr.Store(newStore(maxBytes / 2))
	c.prev.Store(newStore(maxBytes / 2))
	go c.expirationWatcher(expire)
	go c.cacheSizeWatcher()
	return c
}

func (c *Cache) expirationWatcher(d time.Duration) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-c.stopCh:
			return
		case <-t.C:
		}
		c.mu.Lock()
		if c.mode.Load() == split {
			prev, curr := c.prev.Load(), c.curr.Load()
			c.prev.Store(curr)
			prev.reset()
			c.curr.Store(prev)
		}
		c.mu.Unlock()
	}
}

func (c *Cache) cacheSizeWatcher() {
	t := time.NewTicker(1500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-c.stopCh:
			return
		case <-t.C:
		}
		if c.mode.Load() != split {
			continue
		}
		curr := c.curr.Load()
		if curr.size() >= curr.maxBytes*9/10 {
			c.transitIntoWholeMode()
		}
	}
}

// transitIntoWholeMode doubles curr, since it is nearly full.
func (c *Cache) transitIntoWholeMode() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode.Store(switching)
	c.prev.Store(c.curr.Load())
	c.curr.Store(newStore(c.maxBytes))
	c.mode.Store(whole)
}

// Reset drops all the entries and goes back to the split mode.
func (c *Cache) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prev.Store(newStore(c.maxBytes / 2))
	c.curr.Store(newStore(c.maxBytes / 2))
	c.mode.Store(split)
}

func (c *Cache) Get(key string) ([]byte, bool) {
	if v, ok := c.curr.Load().get(key); ok {
		return v, true
	}
	return c.prev.Load().get(key)
}

func (c *Cache) Set(key string, value []byte) { c.curr.Load().set(key, value) }

func (c *Cache) Stop() { close(c.stopCh) }
