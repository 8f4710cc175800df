package edge

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Object is a cached response. The body is never changed after it was read.
type Object struct {
	Body    []byte
	ETag    string
	Expires time.Time
}

// Origin loads objects from the customer's servers.
type Origin interface {
	Load(ctx context.Context, path string) (Object, error)
}

// Cache is the in-memory tier of one edge node.
type Cache struct {
	origin Origin
	ttl    time.Duration

	mu      sync.RWMutex
	objects map[string]Object
	purges  uint64

	hits, misses atomic.Int64
}

func NewCache(o Origin, ttl time.Duration) *Cache {
	return &Cache{origin: o, ttl: ttl, objects: make(map[string]Object)}
}

// lookup also returns the number of purges so far, for keep.
func (c *Cache) lookup(path string) (Object, uint64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	o, ok := c.objects[path]
	if ok && time.Now().After(o.Expires) {
		ok = false
	}
	return o, c.purges, ok
}

func (c *Cache) keep(path string, o Object, purges uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.purges != purges {
		return
	}
	c.objects[path] = o
}

// Fetch returns the object from memory or from the origin.
func (c *Cache) Fetch(ctx context.Context, path string) (Object, error) {
	o, purges, ok := c.lookup(path)
	if ok {
		c.hits.Add(1)
		return o, nil
	}
	c.misses.Add(1)
	o, err := c.origin.Load(ctx, path)
	if err != nil {
		return Object{}, err
	}
	o.Expires = time.Now().Add(c.ttl)
	c.keep(path, o, purges)
	return o, nil
}

// Purge drops everything below prefix. Customers call it after they have
// published new content; requests that start later must not get old objects.
func (c *Cache) Purge(prefix string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.purges++
	n := 0
	for path := range c.objects {
		if strings.HasPrefix(path, prefix) {
			delete(c.objects, path)
			n++
		}
	}
	return n
}

// Expire removes outdated objects every interval until ctx ends.
func (c *Cache) Expire(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			c.dropExpired(now)
		}
	}
}

func (c *Cache) dropExpired(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, o := range c.objects {
		if now.After(o.Expires) {
			delete(c.objects, path)
		}
	}
}

// ServeHTTP answers GET from the cache and PURGE from the control plane.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == "PURGE" {
		c.Purge(r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	o, err := c.Fetch(r.Context(), r.URL.Path)
	if err != nil {
		http.Error(w, "origin unreachable", http.StatusBadGateway)
		return
	}
	w.Header().Set("ETag", o.ETag)
	_, _ = w.Write(o.Body)
}
