// Correct: a value that was loaded without the lock goes into the cache only
// if no key of its bucket was invalidated since the load began: the bucket's
// epoch is taken with the miss and compared in the section that stores.
package rowcache

import (
	"context"
	"hash/maphash"
	"sync"
)

// Backend is the database behind the cache.
type Backend interface {
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, val []byte) error
}

const buckets = 16

type bucket struct {
	mu    sync.Mutex
	epoch uint64
	rows  map[string][]byte
}

func (b *bucket) lookup(key string) (val []byte, ok bool, epoch uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	val, ok = b.rows[key]
	return val, ok, b.epoch
}

func (b *bucket) fill(key string, val []byte, epoch uint64, limit int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.epoch != epoch {
		return
	}
	if len(b.rows) >= limit {
		for k := range b.rows {
			delete(b.rows, k)
			break
		}
	}
	b.rows[key] = val
}

func (b *bucket) invalidate(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch++
	delete(b.rows, key)
}

// Cache reads through to a backend.
type Cache struct {
	backend Backend
	limit   int
	seed    maphash.Seed
	buckets [buckets]bucket
}

// New returns an empty cache with up to limit rows in each bucket.
func New(backend Backend, limit int) *Cache {
	c := &Cache{backend: backend, limit: max(limit, 1), seed: maphash.MakeSeed()}
	for i := range c.buckets {
		c.buckets[i].rows = make(map[string][]byte)
	}
	return c
}

func (c *Cache) bucket(key string) *bucket {
	return &c.buckets[maphash.String(c.seed, key)%buckets]
}

// Get returns the row of key.
func (c *Cache) Get(ctx context.Context, key string) ([]byte, error) {
	b := c.bucket(key)
	val, ok, epoch := b.lookup(key)
	if ok {
		return val, nil
	}
	val, err := c.backend.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	b.fill(key, val, epoch, c.limit)
	return val, nil
}

// Set writes the row of key. The cache forgets the row after the write, even
// if it failed, as it may have been carried out all the same.
func (c *Cache) Set(ctx context.Context, key string, val []byte) error {
	defer c.bucket(key).invalidate(key)
	return c.backend.Save(ctx, key, val)
}
