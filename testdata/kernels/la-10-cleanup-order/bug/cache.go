package badger

import "sync"

type item struct {
	key   string
	value []byte
}

// Cache is a thread-safe implementation of a hashmap with a set buffer: values
// are put into the map by one goroutine.
type Cache struct {
	mu     sync.RWMutex
	store  map[string][]byte
	max    int
	setBuf chan *item
	stop   chan struct{}
}

func NewCache(max int) *Cache {
	c := &Cache{
		store:  make(map[string][]byte),
		max:    max,
		setBuf: make(chan *item, 32*1024),
		stop:   make(chan struct{}),
	}
	go c.processItems()
	return c
}

// Get returns the value (if any) and a boolean representing whether the
// value was found or not.
func (c *Cache) Get(key string) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.store[key]
	return v, ok
}

// Set attempts to add the key-value item to the cache. If it returns false,
// then the Set was dropped and the key-value item isn't added to the cache.
func (c *Cache) Set(key string, value []byte) bool {
	if c == nil {
		return false
	}
	// Attempt to send item to policy.
	select {
	case c.setBuf <- &item{key: key, value: value}:
		return true
	default:
		return false
	}
}

// Close stops all goroutines and closes all channels.
func (c *Cache) Close() {
	if c == nil {
		return
	}
	// Block until processItems goroutine is returned.
	c.stop <- struct{}{}
	close(c.stop)
	close(c.setBuf)
}

// processItems is ran by goroutines processing the Set buffer.
func (c *Cache) processItems() {
	for {
		select {
		case i := <-c.setBuf:
			c.mu.Lock()
			if len(c.store) < c.max {
				c.store[i.key] = i.value
			}
			c.mu.Unlock()
		case <-c.stop:
			return
		}
	}
}
