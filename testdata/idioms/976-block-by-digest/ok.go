// Package blocks caches blocks of a content-addressed store in memory.
package blocks

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
)

// ErrCorrupt is returned for a block that does not match its digest.
var ErrCorrupt = errors.New("blocks: digest mismatch")

// Digest is the SHA-256 of a block, and its only name.
type Digest [sha256.Size]byte

// Source fetches blocks from the store.
type Source interface {
	Fetch(ctx context.Context, d Digest) ([]byte, error)
}

type block struct {
	digest Digest
	data   []byte
}

// Cache is a cache with a limit on the bytes that it holds. It is safe for
// concurrent use. The slices it returns are shared and not to be changed.
type Cache struct {
	src   Source
	limit int64
	slots chan struct{} // fetches that Prefetch may have under way

	mu    sync.Mutex
	bytes int64
	order *list.List // of *block, most recently used first
	index map[Digest]*list.Element
}

// New returns an empty cache.
func New(src Source, limit int64, prefetches int) *Cache {
	return &Cache{
		src:   src,
		limit: limit,
		slots: make(chan struct{}, prefetches),
		order: list.New(),
		index: make(map[Digest]*list.Element),
	}
}

// Get returns a block, from memory if possible.
func (c *Cache) Get(ctx context.Context, d Digest) ([]byte, error) {
	if data, ok := c.cached(d); ok {
		return data, nil
	}
	data, err := c.src.Fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != d {
		return nil, ErrCorrupt
	}
	return c.add(d, data), nil
}

func (c *Cache) cached(d Digest) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.index[d]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*block).data, true
}

// add stores a block and returns the copy that is in use.
func (c *Cache) add(d Digest, data []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.index[d]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*block).data
	}
	c.index[d] = c.order.PushFront(&block{digest: d, data: data})
	c.bytes += int64(len(data))
	for c.bytes > c.limit && c.order.Len() > 0 {
		b := c.order.Remove(c.order.Back()).(*block)
		delete(c.index, b.digest)
		c.bytes -= int64(len(b.data))
	}
	return data
}

// Prefetch starts to fetch blocks that will be needed soon. It does nothing for
// those that it has no free slot for.
func (c *Cache) Prefetch(ctx context.Context, ds []Digest) {
	for _, d := range ds {
		if _, ok := c.cached(d); ok {
			continue
		}
		select {
		case c.slots <- struct{}{}:
		default:
			return
		}
		go func() {
			defer func() { <-c.slots }()
			_, _ = c.Get(ctx, d)
		}()
	}
}

// Size returns the bytes and the blocks that are held.
func (c *Cache) Size() (bytes int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, c.order.Len()
}
