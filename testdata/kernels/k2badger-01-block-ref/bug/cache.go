package table

import (
	"container/list"
	"sync"
)

// Cache holds decompressed blocks up to a total cost. Evicted values are given
// to OnEvict.
type Cache struct {
	mu      sync.Mutex
	cost    int64
	maxCost int64
	items   map[string]*list.Element
	lru     *list.List
	onEvict func(value interface{})
}

type cacheItem struct {
	key   string
	value interface{}
	cost  int64
}

// NewCache returns an empty cache.
func NewCache(maxCost int64, onEvict func(value interface{})) *Cache {
	return &Cache{
		maxCost: maxCost,
		items:   make(map[string]*list.Element),
		lru:     list.New(),
		onEvict: onEvict,
	}
}

// Get returns the value of a key.
func (c *Cache) Get(key []byte) (interface{}, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[string(key)]; ok {
		c.lru.MoveToFront(e)
		return e.Value.(*cacheItem).value, true
	}
	return nil, false
}

// Set attempts to add the key-value item to the cache. If it returns false,
// then the Set was dropped and the item isn't in the cache.
func (c *Cache) Set(key []byte, value interface{}, cost int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[string(key)]; ok || cost > c.maxCost {
		return false
	}
	c.items[string(key)] = c.lru.PushFront(&cacheItem{string(key), value, cost})
	c.cost += cost
	for c.cost > c.maxCost {
		c.evict(c.lru.Back())
	}
	return true
}

func (c *Cache) evict(e *list.Element) {
	it := c.lru.Remove(e).(*cacheItem)
	delete(c.items, it.key)
	c.cost -= it.cost
	c.onEvict(it.value)
}
