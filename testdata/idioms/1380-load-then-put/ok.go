package idiom1380

import (
	"os"
	"sync"
	"sync/atomic"
)

type blockKey struct {
	part   string
	offset int64
}

type block struct{ data []byte }

type blockCache struct {
	mu        sync.RWMutex
	m         map[blockKey]*block
	sizeBytes atomic.Int64
	maxBytes  int64
	misses    atomic.Uint64
}

func newBlockCache(maxBytes int64) *blockCache {
	return &blockCache{m: make(map[blockKey]*block), maxBytes: maxBytes}
}

func (c *blockCache) get(k blockKey) *block {
	c.mu.RLock()
	b := c.m[k]
	c.mu.RUnlock()
	if b == nil {
		c.misses.Add(1)
	}
	return b
}

func (c *blockCache) put(k blockKey, b *block) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.m[k]; old != nil {
		// The block has been registered by a concurrent goroutine.
		return old
	}
	c.m[k] = b
	c.sizeBytes.Add(int64(len(b.data)))
	if c.sizeBytes.Load() > c.maxBytes {
		c.shrinkLocked(k)
	}
	return b
}

func (c *blockCache) shrinkLocked(keep blockKey) {
	for k, b := range c.m {
		if c.sizeBytes.Load() <= c.maxBytes {
			return
		}
		if k == keep {
			continue
		}
		c.sizeBytes.Add(-int64(len(b.data)))
		delete(c.m, k)
	}
}

// reader reads blocks of immutable files.
type reader struct {
	c         *blockCache
	blockSize int
}

// ReadBlock returns a block; the blocks of a file never change.
func (r *reader) ReadBlock(path string, off int64) ([]byte, error) {
	k := blockKey{path, off}
	if b := r.c.get(k); b != nil {
		return b.data, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := &block{data: make([]byte, r.blockSize)}
	n, err := f.ReadAt(b.data, off)
	if n == 0 {
		return nil, err
	}
	b.data = b.data[:n]
	return r.c.put(k, b).data, nil
}
