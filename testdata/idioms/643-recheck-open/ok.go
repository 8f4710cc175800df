// Package handles caches the open files of immutable blobs.
package handles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("handles: closed")

type handle struct {
	f    *os.File
	size int64
}

// Cache keeps one open file a blob.
type Cache struct {
	dir string

	mu     sync.RWMutex
	open   map[string]*handle
	closed bool
}

// New returns a cache of the files in dir.
func New(dir string) *Cache {
	return &Cache{dir: dir, open: make(map[string]*handle)}
}

func (c *Cache) cached(name string) *handle {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.open[name]
}

func openFile(path string) (*handle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &handle{f: f, size: st.Size()}, nil
}

// get returns the handle of a blob, which stays open until Close.
func (c *Cache) get(name string) (*handle, error) {
	if h := c.cached(name); h != nil {
		return h, nil
	}
	h, err := openFile(filepath.Join(c.dir, filepath.Base(name)))
	if err != nil {
		return nil, fmt.Errorf("handles: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		h.f.Close()
		return nil, ErrClosed
	}
	if first, ok := c.open[name]; ok {
		h.f.Close()
		return first, nil
	}
	c.open[name] = h
	return h, nil
}

// ReadAt reads from a blob.
func (c *Cache) ReadAt(name string, p []byte, off int64) (int, error) {
	h, err := c.get(name)
	if err != nil {
		return 0, err
	}
	if off >= h.size {
		return 0, fmt.Errorf("handles: %s has only %d bytes", name, h.size)
	}
	n, err := h.f.ReadAt(p, off)
	if errors.Is(err, os.ErrClosed) {
		return n, ErrClosed
	}
	return n, err
}

// Close closes all files; reads that are under way may get ErrClosed.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for name, h := range c.open {
		errs = append(errs, h.f.Close())
		delete(c.open, name)
	}
	return errors.Join(errs...)
}
