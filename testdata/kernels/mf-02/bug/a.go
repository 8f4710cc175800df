// Package a is a read-through cache for values that never change.
package a

import (
	"container/list"
	"sync"
)

// Getter loads the value of a key from its origin.
type Getter func(key string) ([]byte, error)

type call struct {
	wg  sync.WaitGroup
	val []byte
	err error
}

// flight suppresses duplicate loads of one key.
type flight struct {
	mu sync.Mutex
	m  map[string]*call
}

func (f *flight) Do(key string, fn func() ([]byte, error)) ([]byte, error) {
	f.mu.Lock()
	if f.m == nil {
		f.m = make(map[string]*call)
	}
	if c, ok := f.m[key]; ok {
		f.mu.Unlock()
		c.wg.Wait()
		return c.val, c.err
	}
	c := new(call)
	c.wg.Add(1)
	f.m[key] = c
	f.mu.Unlock()

	c.val, c.err = fn()
	c.wg.Done()

	f.mu.Lock()
	delete(f.m, key)
	f.mu.Unlock()
	return c.val, c.err
}

type entry struct {
	key string
	val []byte
}

// cache is an LRU bounded by the bytes it holds.
type cache struct {
	mu     sync.Mutex
	max    int64
	nbytes int64 // of all keys and values
	ll     *list.List
	items  map[string]*list.Element
}

func (c *cache) get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return nil, false
	}
	c.ll.MoveToFront(e)
	return e.Value.(*entry).val, true
}

// add stores a value for a key that is not in the cache.
func (c *cache) add(key string, val []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = c.ll.PushFront(&entry{key, val})
	c.nbytes += int64(len(key) + len(val))
	for c.nbytes > c.max && c.ll.Len() > 0 {
		e := c.ll.Back()
		ent := c.ll.Remove(e).(*entry)
		delete(c.items, ent.key)
		c.nbytes -= int64(len(ent.key) + len(ent.val))
	}
}

// Group is a cache namespace.
type Group struct {
	getter Getter
	main   cache
	loads  flight
}

func NewGroup(max int64, getter Getter) *Group {
	g := &Group{getter: getter}
	g.main.max = max
	g.main.ll = list.New()
	g.main.items = make(map[string]*list.Element)
	return g
}

// Get returns the value of key; callers must not modify it.
func (g *Group) Get(key string) ([]byte, error) {
	if v, ok := g.main.get(key); ok {
		return v, nil
	}
	return g.load(key)
}

func (g *Group) load(key string) ([]byte, error) {
	return g.loads.Do(key, func() ([]byte, error) {
		v, err := g.getter(key)
		if err != nil {
			return nil, err
		}
		g.main.add(key, v)
		return v, nil
	})
}

// Len is the number of cached keys.
func (g *Group) Len() int {
	g.main.mu.Lock()
	defer g.main.mu.Unlock()
	return g.main.ll.Len()
}
