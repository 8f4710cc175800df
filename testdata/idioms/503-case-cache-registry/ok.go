// Package ok shares caches of real file names between views of a directory.
package ok

import (
	"strings"
	"sync"
	"time"
)

type key struct{ kind, root, opts string }

// Backend lists directories.
type Backend interface {
	Kind() string
	Root() string
	Options() []string
	Names(dir string) ([]string, error)
}

type nameCache struct {
	mu    sync.Mutex
	nodes map[string]cachedDir
}

type cachedDir struct {
	names map[string]string
	until time.Time
}

func newNameCache() *nameCache { return &nameCache{nodes: make(map[string]cachedDir)} }

func (c *nameCache) purge(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for d, n := range c.nodes {
		if now.After(n.until) {
			delete(c.nodes, d)
		}
	}
}

func (c *nameCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = make(map[string]cachedDir)
}

func (c *nameCache) dir(b Backend, dir string) (map[string]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.nodes[dir]; ok && time.Now().Before(n.until) {
		return n.names, nil
	}
	list, err := b.Names(dir)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(list))
	for _, n := range list {
		names[strings.ToLower(n)] = n
	}
	c.nodes[dir] = cachedDir{names, time.Now().Add(time.Second)}
	return names, nil
}

// Registry has one cache per backend.
type Registry struct {
	mu       sync.RWMutex
	caches   map[key]*nameCache
	once     sync.Once
	interval time.Duration
}

// NewRegistry returns an empty registry.
func NewRegistry(interval time.Duration) *Registry {
	return &Registry{caches: make(map[key]*nameCache), interval: interval}
}

// Open returns a view of the backend.
func (r *Registry) Open(b Backend) *View {
	k := key{b.Kind(), b.Root(), strings.Join(b.Options(), "&")}

	r.mu.RLock()
	cache, ok := r.caches[k]
	r.mu.RUnlock()

	if !ok {
		r.mu.Lock()
		cache, ok = r.caches[k]
		if !ok {
			cache = newNameCache()
			r.caches[k] = cache
			r.once.Do(func() { go r.cleaner() })
		}
		r.mu.Unlock()
	}
	return &View{b: b, cache: cache}
}

func (r *Registry) cleaner() {
	for now := range time.Tick(r.interval) {
		r.mu.RLock()
		caches := make([]*nameCache, 0, len(r.caches))
		for _, c := range r.caches {
			caches = append(caches, c)
		}
		r.mu.RUnlock()
		for _, c := range caches {
			c.purge(now)
		}
	}
}

// View looks names up regardless of their case.
type View struct {
	b     Backend
	cache *nameCache
}

// RealName returns the name as it is on disk.
func (v *View) RealName(dir, name string) (string, bool) {
	names, err := v.cache.dir(v.b, dir)
	if err != nil {
		return "", false
	}
	n, ok := names[strings.ToLower(name)]
	return n, ok
}

// Changed drops what is cached after a change.
func (v *View) Changed() { v.cache.drop() }
