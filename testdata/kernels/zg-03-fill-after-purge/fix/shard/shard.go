// Package shard is a map for concurrent use that is split over several locks.
package shard

import (
	"hash/maphash"
	"sync"
)

const buckets = 16

type bucket[V any] struct {
	mu  sync.RWMutex
	m   map[string]V
	gen uint64 // deletions so far
}

// Map is a sharded map from strings to V.
type Map[V any] struct {
	seed maphash.Seed
	b    [buckets]bucket[V]
}

// New returns an empty map.
func New[V any]() *Map[V] {
	m := &Map[V]{seed: maphash.MakeSeed()}
	for i := range m.b {
		m.b[i].m = make(map[string]V)
	}
	return m
}

func (m *Map[V]) bucket(key string) *bucket[V] {
	return &m.b[maphash.String(m.seed, key)%buckets]
}

// Get returns the value stored for key and the generation of its bucket.
func (m *Map[V]) Get(key string) (V, uint64, bool) {
	b := m.bucket(key)
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, ok := b.m[key]
	return v, b.gen, ok
}

// SetAt stores v for key if the bucket is still at generation gen.
func (m *Map[V]) SetAt(key string, v V, gen uint64) {
	b := m.bucket(key)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gen == gen {
		b.m[key] = v
	}
}

// Delete removes key.
func (m *Map[V]) Delete(key string) {
	b := m.bucket(key)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.m, key)
	b.gen++
}

// Len counts the entries, one bucket after the other.
func (m *Map[V]) Len() int {
	n := 0
	for i := range m.b {
		b := &m.b[i]
		b.mu.RLock()
		n += len(b.m)
		b.mu.RUnlock()
	}
	return n
}
