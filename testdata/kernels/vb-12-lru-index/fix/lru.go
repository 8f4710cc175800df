package lru

import (
	"container/list"
	"sync"
)

type entry[K comparable, V any] struct {
	key K
	val V
}

// Cache bounds the number of values it keeps; the oldest goes first.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	items map[K]*list.Element
	order *list.List
}

func New[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, items: map[K]*list.Element{}, order: list.New()}
}

func (c *Cache[K, V]) atomically(steps ...func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, step := range steps {
		step()
	}
}

func (c *Cache[K, V]) trim() {
	for c.order.Len() > c.limit {
		e := c.order.Remove(c.order.Front()).(entry[K, V])
		delete(c.items, e.key)
	}
}

// Put appends the value; an older value of the key is dropped.
func (c *Cache[K, V]) Put(key K, val V) {
	c.atomically(func() {
		if old, ok := c.items[key]; ok {
			c.order.Remove(old)
		}
		c.items[key] = c.order.PushBack(entry[K, V]{key, val})
	}, c.trim)
}

func (c *Cache[K, V]) Get(key K) (val V, ok bool) {
	c.atomically(func() {
		var el *list.Element
		if el, ok = c.items[key]; ok {
			val = el.Value.(entry[K, V]).val
		}
	})
	return val, ok
}

// Shrink evicts down to n values and reports how many went.
func (c *Cache[K, V]) Shrink(n int) (gone int) {
	c.atomically(func() {
		gone = c.order.Len()
		c.limit = n
		c.trim()
		gone -= c.order.Len()
	})
	return gone
}

func (c *Cache[K, V]) Len() (n int) {
	c.atomically(func() { n = len(c.items) })
	return n
}
