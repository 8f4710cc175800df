package a

import (
	"context"
	"fmt"
	"sync"
)

// Backend is the system of record.
type Backend[K comparable, V any] interface {
	Load(ctx context.Context, key K) (V, error)
	Save(ctx context.Context, key K, val V) error
}

// Cache keeps values of a backend in memory. All updates of this service go
// through Update, so that readers see what was written before they asked.
type Cache[K comparable, V any] struct {
	backend Backend[K, V]
	max     int

	mu   sync.Mutex
	vals map[K]V
	hits uint64
	miss uint64
}

// NewCache returns a cache for at most max values.
func NewCache[K comparable, V any](b Backend[K, V], max int) *Cache[K, V] {
	return &Cache[K, V]{backend: b, max: max, vals: make(map[K]V)}
}

// Get returns the value of key, from memory when it is there.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	c.mu.Lock()
	if v, ok := c.vals[key]; ok {
		c.hits++
		c.mu.Unlock()
		return v, nil
	}
	c.miss++
	c.mu.Unlock()

	v, err := c.backend.Load(ctx, key)
	if err != nil {
		var zero V
		return zero, fmt.Errorf("load %v: %w", key, err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, v)
	return v, nil
}

// put stores a value; the lock must be held.
func (c *Cache[K, V]) put(key K, v V) {
	if len(c.vals) >= c.max {
		for k := range c.vals {
			delete(c.vals, k)
			break
		}
	}
	c.vals[key] = v
}

// Update writes a value to the backend and forgets the cached one.
func (c *Cache[K, V]) Update(ctx context.Context, key K, v V) error {
	// a save that reports an error may have changed the value all the same
	defer c.forget(key)
	if err := c.backend.Save(ctx, key, v); err != nil {
		return fmt.Errorf("save %v: %w", key, err)
	}
	return nil
}

func (c *Cache[K, V]) forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.vals, key)
}

// HitRate returns the share of the calls that were served from memory.
func (c *Cache[K, V]) HitRate() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hits+c.miss == 0 {
		return 0
	}
	return float64(c.hits) / float64(c.hits+c.miss)
}
