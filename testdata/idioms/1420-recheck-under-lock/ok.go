package a

import (
	"maps"
	"sync"
	"sync/atomic"
)

type idSet map[uint64]struct{}

// idCache is a set of ids. Most lookups are served by an immutable snapshot without
// locking; new ids are collected in a mutable set until they are worth merging.
type idCache struct {
	snapshot atomic.Pointer[idSet] // the set must not be modified

	mu       sync.Mutex
	mutable  idSet
	slowHits int
}

func newIDCache() *idCache {
	c := &idCache{mutable: idSet{}}
	c.snapshot.Store(&idSet{})
	return c
}

// Has tells whether Set(id) has been called.
func (c *idCache) Has(id uint64) bool {
	if _, ok := (*c.snapshot.Load())[id]; ok {
		return true
	}
	return c.hasSlow(id)
}

func (c *idCache) hasSlow(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The mutable set may have been merged in the meantime.
	snap := *c.snapshot.Load()
	if _, ok := snap[id]; ok {
		return true
	}
	if _, ok := c.mutable[id]; !ok {
		return false
	}
	c.slowHits++
	if c.slowHits > (len(snap)+len(c.mutable))/2 {
		c.syncLocked()
	}
	return true
}

func (c *idCache) Set(id uint64) {
	c.mu.Lock()
	c.mutable[id] = struct{}{}
	c.mu.Unlock()
}

// syncLocked merges the mutable set into a new snapshot.
func (c *idCache) syncLocked() {
	merged := maps.Clone(*c.snapshot.Load())
	maps.Copy(merged, c.mutable)
	c.snapshot.Store(&merged)
	c.mutable = idSet{}
	c.slowHits = 0
}

// Index registers each id once per day, more or less.
type Index struct {
	cache    *idCache
	register func(id uint64) // idempotent
}

func NewIndex(register func(id uint64)) *Index {
	return &Index{cache: newIDCache(), register: register}
}

// AddRows is called by the ingestion workers.
func (x *Index) AddRows(ids []uint64) {
	for _, id := range ids {
		if x.cache.Has(id) {
			continue
		}
		x.register(id)
		x.cache.Set(id)
	}
}

// Run starts the ingestion workers.
func (x *Index) Run(workers int, in <-chan []uint64) {
	for range workers {
		go func() {
			for ids := range in {
				x.AddRows(ids)
			}
		}()
	}
}
