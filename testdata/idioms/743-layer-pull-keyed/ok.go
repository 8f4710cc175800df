// Package layers pulls the layers of container images for CI agents.
package layers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// ErrDigest is returned for content that is not what was asked for.
var ErrDigest = errors.New("layers: digest mismatch")

// Registry downloads blobs.
type Registry interface {
	Blob(ctx context.Context, digest string) (io.ReadCloser, error)
}

// keyLocks are locks by name that exist while somebody wants them.
type keyLocks struct {
	mu sync.Mutex
	m  map[string]*keyLock
}

type keyLock struct {
	users int
	sem   chan struct{}
}

// lock waits for a name; the result unlocks it.
func (k *keyLocks) lock(ctx context.Context, name string) (func(), error) {
	k.mu.Lock()
	if k.m == nil {
		k.m = make(map[string]*keyLock)
	}
	l, ok := k.m[name]
	if !ok {
		l = &keyLock{sem: make(chan struct{}, 1)}
		k.m[name] = l
	}
	l.users++
	k.mu.Unlock()

	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.m, name)
		}
	}
	select {
	case l.sem <- struct{}{}:
		return func() { <-l.sem; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// Cache holds layers by digest.
type Cache struct {
	registry Registry
	log      *slog.Logger
	pulls    keyLocks

	mu    sync.RWMutex
	blobs map[string][]byte
	bytes int64
}

// New returns an empty cache.
func New(r Registry, log *slog.Logger) *Cache {
	return &Cache{registry: r, log: log, blobs: make(map[string][]byte)}
}

func (c *Cache) get(digest string) ([]byte, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b, ok := c.blobs[digest]
	return b, ok
}

func (c *Cache) put(digest string, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blobs[digest] = b
	c.bytes += int64(len(b))
}

// Size returns the bytes in the cache.
func (c *Cache) Size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes
}

// Pull returns a layer and downloads it if need be.
func (c *Cache) Pull(ctx context.Context, digest string) ([]byte, error) {
	unlock, err := c.pulls.lock(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if b, ok := c.get(digest); ok {
		return b, nil
	}
	b, err := c.download(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("layers: %s: %w", digest, err)
	}
	c.put(digest, b)
	c.log.Info("layer pulled", "digest", digest, "bytes", len(b))
	return b, nil
}

func (c *Cache) download(ctx context.Context, digest string) ([]byte, error) {
	rc, err := c.registry.Blob(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	b, err := io.ReadAll(rc)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); "sha256:"+hex.EncodeToString(sum[:]) != digest {
		return nil, ErrDigest
	}
	return b, nil
}

// Warm pulls the layers of an image.
func (c *Cache) Warm(ctx context.Context, digests []string) error {
	errs := make([]error, len(digests))
	var wg sync.WaitGroup
	for i, d := range digests {
		wg.Go(func() { _, errs[i] = c.Pull(ctx, d) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
