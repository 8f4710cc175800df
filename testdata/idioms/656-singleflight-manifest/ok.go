// Package manifest caches the manifests of remote folders for a file sync client.
package manifest

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// File in a folder.
type File struct {
	Path string
	Size int64
	Hash string
}

// Manifest lists a folder at a revision.
type Manifest struct {
	Folder   string
	Revision int64
	Files    []File
}

// Remote is the server.
type Remote interface {
	Manifest(ctx context.Context, folder string) (*Manifest, error)
}

// call is one fetch; man and err are set before done is closed.
type call struct {
	done chan struct{}
	man  *Manifest
	err  error
	at   time.Time
}

func (c *call) finished() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Cache holds one manifest a folder.
type Cache struct {
	remote  Remote
	ttl     time.Duration
	timeout time.Duration

	mu    sync.Mutex
	calls map[string]*call
}

// New returns a cache whose manifests are good for ttl.
func New(r Remote, ttl, timeout time.Duration) *Cache {
	return &Cache{remote: r, ttl: ttl, timeout: timeout, calls: make(map[string]*call)}
}

// join returns the call for a folder and whether the caller has to make it.
func (c *Cache) join(folder string) (cl *call, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cl, ok := c.calls[folder]; ok {
		if !cl.finished() || time.Since(cl.at) < c.ttl {
			return cl, false
		}
	}
	cl = &call{done: make(chan struct{})}
	c.calls[folder] = cl
	return cl, true
}

// forget removes a call that is still in the cache.
func (c *Cache) forget(folder string, cl *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[folder] == cl {
		delete(c.calls, folder)
	}
}

func (c *Cache) fetch(folder string, cl *call) {
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	defer close(cl.done)
	cl.man, cl.err = c.remote.Manifest(ctx, folder)
	cl.at = time.Now()
	if cl.err != nil {
		cl.err = fmt.Errorf("manifest %s: %w", folder, cl.err)
		c.forget(folder, cl)
	}
}

// Get returns a manifest that is not older than the ttl.
func (c *Cache) Get(ctx context.Context, folder string) (*Manifest, error) {
	cl, mine := c.join(folder)
	if mine {
		go c.fetch(folder, cl)
	}
	select {
	case <-cl.done:
		return cl.man, cl.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Invalidate makes the next Get fetch again.
func (c *Cache) Invalidate(folder string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, folder)
}

// Watch invalidates the folders that the server says have changed.
func (c *Cache) Watch(ctx context.Context, changed <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-changed:
			c.Invalidate(f)
		}
	}
}
