// Package a is a disk cache for build artefacts.
package a

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// ErrMiss is returned when an artefact isn't cached.
var ErrMiss = errors.New("cache: miss")

type item struct {
	path  string
	size  int64
	saved time.Time
}

// Cache stores artefacts as files and accounts for their size.
type Cache struct {
	dir string
	log *slog.Logger

	mu    sync.RWMutex
	items map[string]item
	bytes int64
}

// Open returns a cache in dir.
func Open(dir string, log *slog.Logger) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &Cache{dir: dir, log: log, items: make(map[string]item)}, nil
}

// Put stores an artefact, replacing an older one with the same key.
func (c *Cache) Put(key string, r io.Reader) error {
	f, err := os.CreateTemp(c.dir, "art-*")
	if err != nil {
		return err
	}
	n, err := io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("put %s: %w", key, err), os.Remove(f.Name()))
	}

	c.mu.Lock()
	old, replaced := c.items[key]
	c.items[key] = item{path: f.Name(), size: n, saved: time.Now()}
	c.bytes += n - old.size
	c.mu.Unlock()
	if replaced {
		return unlink(old.path)
	}
	return nil
}

// Get opens an artefact.
func (c *Cache) Get(key string) (io.ReadCloser, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	it, ok := c.items[key]
	if !ok {
		return nil, ErrMiss
	}
	f, err := os.Open(it.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMiss
	}
	return f, err
}

// Remove deletes an artefact.
func (c *Cache) Remove(key string) error {
	c.mu.Lock()
	it, ok := c.items[key]
	if ok {
		delete(c.items, key)
		c.bytes -= it.size
	}
	c.mu.Unlock()
	if !ok {
		return ErrMiss
	}
	if err := unlink(it.path); err != nil {
		return fmt.Errorf("remove %s: %w", key, err)
	}
	c.log.Info("artefact removed", "key", key, "bytes", it.size, "age", time.Since(it.saved))
	return nil
}

// Bytes returns the size of all cached artefacts.
func (c *Cache) Bytes() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes
}

func unlink(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ServeHTTP handles PUT and DELETE of /KEY.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method {
	case http.MethodPut:
		err = c.Put(r.URL.Path, r.Body)
	case http.MethodDelete:
		err = c.Remove(r.URL.Path)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	switch {
	case errors.Is(err, ErrMiss):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
