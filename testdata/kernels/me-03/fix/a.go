package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrFull is returned when a new object does not fit.
var ErrFull = errors.New("memcache: full")

// Object is a cached response body. Callers of Get hold a reference to it
// until they call Done.
type Object struct {
	key   string
	body  []byte
	refs  atomic.Int32
	cache *Cache
}

// Body returns the bytes of the response.
func (o *Object) Body() []byte { return o.body }

// Done gives up the caller's reference.
func (o *Object) Done() { o.cache.release(o) }

// Cache keeps response bodies up to a total size.
type Cache struct {
	max int

	mu      sync.Mutex
	objects map[string]*Object
	used    int
	evicted int
}

// NewCache returns a cache for max bytes.
func NewCache(max int) *Cache {
	return &Cache{max: max, objects: make(map[string]*Object)}
}

// Put stores body under key unless the key is taken.
func (c *Cache) Put(key string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.objects[key]; ok {
		return nil
	}
	if c.used+len(body) > c.max {
		return ErrFull
	}
	o := &Object{key: key, body: body, cache: c}
	o.refs.Store(1)
	c.objects[key] = o
	c.used += len(body)
	return nil
}

// Get returns the object under key with a reference for the caller.
func (c *Cache) Get(key string) (*Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.objects[key]
	if ok {
		o.refs.Add(1)
	}
	return o, ok
}

// Remove takes key out of the cache. Its space is free again as soon as the
// last reader is done.
func (c *Cache) Remove(key string) bool {
	c.mu.Lock()
	o, ok := c.objects[key]
	delete(c.objects, key)
	c.mu.Unlock()
	if ok {
		c.release(o)
	}
	return ok
}

func (c *Cache) release(o *Object) {
	if o.refs.Add(-1) == 0 {
		c.reclaim(o)
	}
}

func (c *Cache) reclaim(o *Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used -= len(o.body)
	c.evicted++
}

// Used reports the bytes in use and the number of objects evicted so far.
func (c *Cache) Used() (bytes, evicted int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used, c.evicted
}
