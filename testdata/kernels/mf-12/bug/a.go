// Package a is a fixed-size cache without per-entry allocations in its
// index.
package a

import (
	"errors"
	"hash/fnv"
	"sync"
)

var ErrEntryNotFound = errors.New("entry not found")

type slot struct {
	used bool
	key  string
	val  []byte
}

// shard keeps its entries in a ring; the oldest entry is overwritten
// when the ring is full.
type shard struct {
	mu      sync.RWMutex
	hashmap map[string]int // key to slot
	ring    []slot
	next    int
}

func newShard(size int) *shard {
	return &shard{hashmap: make(map[string]int), ring: make([]slot, size)}
}

func (s *shard) set(key string, val []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.hashmap[key]; ok {
		s.ring[old] = slot{}
	}
	victim := s.ring[s.next]
	if victim.used {
		delete(s.hashmap, victim.key)
	}
	s.ring[s.next] = slot{used: true, key: key, val: val}
	s.hashmap[key] = s.next
	s.next = (s.next + 1) % len(s.ring)
}

func (s *shard) del(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.hashmap[key]
	if !ok {
		return false
	}
	delete(s.hashmap, key)
	s.ring[i] = slot{}
	return true
}

// position returns the slot of a key.
func (s *shard) position(key string) (int, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.hashmap[key]
	return i, ok
}

// read returns a copy of the value in a slot.
func (s *shard) read(i int) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]byte(nil), s.ring[i].val...)
}

func (s *shard) get(key string) ([]byte, error) {
	i, ok := s.position(key)
	if !ok {
		return nil, ErrEntryNotFound
	}
	return s.read(i), nil
}

// Cache spreads the keys over several shards.
type Cache struct {
	shards []*shard
}

func NewCache(shards, entriesPerShard int) *Cache {
	c := &Cache{}
	for i := 0; i < shards; i++ {
		c.shards = append(c.shards, newShard(entriesPerShard))
	}
	return c
}

func (c *Cache) shardFor(key string) *shard {
	h := fnv.New32a()
	h.Write([]byte(key))
	return c.shards[h.Sum32()%uint32(len(c.shards))]
}

// Get returns a copy of the value stored under key.
func (c *Cache) Get(key string) ([]byte, error) { return c.shardFor(key).get(key) }

// Set stores a copy of val under key.
func (c *Cache) Set(key string, val []byte) {
	c.shardFor(key).set(key, append([]byte(nil), val...))
}

// Has reports whether there is a value under key.
func (c *Cache) Has(key string) bool {
	_, ok := c.shardFor(key).position(key)
	return ok
}

// Delete removes a key and reports whether it was there.
func (c *Cache) Delete(key string) bool { return c.shardFor(key).del(key) }
