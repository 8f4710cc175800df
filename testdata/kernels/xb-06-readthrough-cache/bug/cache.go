// Package readthrough caches records of a remote store. Changes made by other
// processes arrive as a stream of invalidated keys.
package readthrough

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

const shardCount = 16

// Record is a cached row.
type Record struct {
	Key     string
	Version int64
	Body    []byte
}

// Source reads the record for a key from the store of record.
type Source func(ctx context.Context, key string) (Record, error)

type slot struct {
	rec     Record
	expires time.Time
}

type shard struct {
	mu    sync.RWMutex
	slots map[string]slot
}

func (s *shard) get(key string, now time.Time) (Record, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := s.slots[key]
	if !ok || now.After(e.expires) {
		return Record{}, false
	}
	return e.rec, true
}

func (s *shard) set(key string, rec Record, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots[key] = slot{rec: rec, expires: expires}
}

func (s *shard) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.slots, key)
}

// Cache is safe for concurrent use.
type Cache struct {
	source Source
	ttl    time.Duration
	seed   maphash.Seed
	shards [shardCount]shard
}

// New returns a cache in front of source. Entries live for ttl at most.
func New(source Source, ttl time.Duration) *Cache {
	c := &Cache{source: source, ttl: ttl, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].slots = make(map[string]slot)
	}
	return c
}

func (c *Cache) shardOf(key string) *shard {
	return &c.shards[maphash.String(c.seed, key)%shardCount]
}

// Get returns the record for key. A Get that starts after the invalidation of a
// change has been processed does not return the record from before the change.
func (c *Cache) Get(ctx context.Context, key string) (Record, error) {
	s := c.shardOf(key)
	if rec, ok := s.get(key, time.Now()); ok {
		return rec, nil
	}
	return c.load(ctx, s, key)
}

// load fetches key and keeps the result. The store may take a while to answer,
// so no lock is held meanwhile.
func (c *Cache) load(ctx context.Context, s *shard, key string) (Record, error) {
	rec, err := c.source(ctx, key)
	if err != nil {
		return Record{}, err
	}
	s.set(key, rec, time.Now().Add(c.ttl))
	return rec, nil
}

// Invalidate drops the record for key.
func (c *Cache) Invalidate(key string) {
	c.shardOf(key).drop(key)
}

// Follow applies invalidations until the stream ends or ctx is done.
func (c *Cache) Follow(ctx context.Context, keys <-chan string) {
	for {
		select {
		case key, ok := <-keys:
			if !ok {
				return
			}
			c.Invalidate(key)
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes entries that have expired and returns their number.
func (c *Cache) Sweep(now time.Time) int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for k, e := range s.slots {
			if now.After(e.expires) {
				delete(s.slots, k)
				n++
			}
		}
		s.mu.Unlock()
	}
	return n
}
