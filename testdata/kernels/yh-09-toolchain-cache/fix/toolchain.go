// Package toolchain unpacks compiler toolchains for sandboxed builds. Builds
// that need the same toolchain share one directory, which is removed when the
// last of them is done.
package toolchain

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Unpacker fills a directory with the toolchain of the given version.
type Unpacker interface {
	Unpack(version, dir string) error
}

type entry struct {
	version string
	dir     string
	refs    atomic.Int32

	once sync.Once
	err  error
}

// Cache is safe for concurrent use.
type Cache struct {
	root     string
	unpacker Unpacker

	mu      sync.RWMutex
	entries map[string]*entry
}

// NewCache returns a cache that keeps its directories below root.
func NewCache(root string, u Unpacker) *Cache {
	return &Cache{root: root, unpacker: u, entries: make(map[string]*entry)}
}

// Handle is one build's claim on a toolchain.
type Handle struct {
	cache *Cache
	entry *entry
	once  sync.Once
}

// Dir is where the toolchain has been unpacked.
func (h *Handle) Dir() string { return h.entry.dir }

// Release gives the claim back. It may be called more than once.
func (h *Handle) Release() {
	h.once.Do(func() { h.cache.release(h.entry) })
}

// Acquire returns a claim on the toolchain, unpacking it if need be.
func (c *Cache) Acquire(version string) (*Handle, error) {
	e := c.find(version)
	if e == nil {
		var err error
		if e, err = c.create(version); err != nil {
			return nil, err
		}
	}
	e.once.Do(func() { e.err = c.unpacker.Unpack(version, e.dir) })
	if e.err != nil {
		c.release(e)
		return nil, fmt.Errorf("toolchain %s: %w", version, e.err)
	}
	return &Handle{cache: c, entry: e}, nil
}

// find claims the entry of the version, if there is one. Claims are given back
// under the write lock only.
func (c *Cache) find(version string) *entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.entries[version]
	if e != nil {
		e.refs.Add(1)
	}
	return e
}

// create claims an entry that did not exist a moment ago.
func (c *Cache) create(version string) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[version]; ok {
		e.refs.Add(1)
		return e, nil
	}
	dir, err := os.MkdirTemp(c.root, "toolchain-*")
	if err != nil {
		return nil, err
	}
	e := &entry{version: version, dir: dir}
	e.refs.Store(1)
	c.entries[version] = e
	return e, nil
}

func (c *Cache) release(e *entry) {
	c.mu.Lock()
	if e.refs.Add(-1) > 0 {
		c.mu.Unlock()
		return
	}
	delete(c.entries, e.version)
	c.mu.Unlock()
	os.RemoveAll(e.dir)
}

// InUse returns the number of claims per version, for the status page.
func (c *Cache) InUse() map[string]int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string]int, len(c.entries))
	for v, e := range c.entries {
		out[v] = int(e.refs.Load())
	}
	return out
}
