// Package bug caches blobs within a memory budget.
package bug

import (
	"slices"
	"sync"
	"sync/atomic"
)

// typedMap is a sync.Map with types.
type typedMap[K comparable, V any] struct {
	m sync.Map
}

func unbox[V any](v any, ok bool) (V, bool) {
	if !ok {
		var zero V
		return zero, false
	}
	return v.(V), true
}

func (t *typedMap[K, V]) Load(k K) (V, bool) { return unbox[V](t.m.Load(k)) }
func (t *typedMap[K, V]) Store(k K, v V)     { t.m.Store(k, v) }
func (t *typedMap[K, V]) Swap(k K, v V) (V, bool) {
	return unbox[V](t.m.Swap(k, v))
}
func (t *typedMap[K, V]) LoadAndDelete(k K) (V, bool) {
	return unbox[V](t.m.LoadAndDelete(k))
}
func (t *typedMap[K, V]) Range(f func(K, V) bool) {
	t.m.Range(func(k, v any) bool { return f(k.(K), v.(V)) })
}

type blob struct {
	data []byte
	cost int64
}

const overhead = 64

// Cache holds blobs by name, up to a total cost.
type Cache struct {
	budget int64
	used   atomic.Int64
	blobs  typedMap[string, *blob]
	hits   atomic.Int64
	misses atomic.Int64
}

func NewCache(budget int64) *Cache { return &Cache{budget: budget} }

// reserve sets n apart from the budget.
func (c *Cache) reserve(n int64) bool {
	for {
		used := c.used.Load()
		if used+n > c.budget {
			return false
		}
		if c.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

func (c *Cache) release(n int64) { c.used.Add(-n) }

// Get returns the blob called name.
func (c *Cache) Get(name string) ([]byte, bool) {
	b, ok := c.blobs.Load(name)
	if !ok {
		c.misses.Add(1)
		return nil, false
	}
	c.hits.Add(1)
	return b.data, true
}

// Set stores data under name. The budget has to have room for it next to the
// blob it replaces; otherwise nothing changes and Set returns false.
func (c *Cache) Set(name string, data []byte) bool {
	b := &blob{data: slices.Clone(data), cost: int64(len(data)+len(name)) + overhead}
	if !c.reserve(b.cost) {
		return false
	}
	prev, ok := c.blobs.Load(name)
	c.blobs.Store(name, b)
	if ok {
		c.release(prev.cost)
	}
	return true
}

// Delete drops the blob called name.
func (c *Cache) Delete(name string) bool {
	b, ok := c.blobs.LoadAndDelete(name)
	if ok {
		c.release(b.cost)
	}
	return ok
}

// DeleteFunc drops the blobs for whose names drop returns true.
func (c *Cache) DeleteFunc(drop func(name string) bool) int {
	n := 0
	c.blobs.Range(func(name string, _ *blob) bool {
		if drop(name) && c.Delete(name) {
			n++
		}
		return true
	})
	return n
}

// Used is the part of the budget in use.
func (c *Cache) Used() int64 { return c.used.Load() }
