// Package grants caches the access rights of subjects in front of the policy
// database. Every API request checks its subject here.
package grants

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
)

// Set is the list of actions that a subject may perform on each resource. A Set
// is not modified after it has been loaded.
type Set map[string][]string

// Allows reports whether the set contains an action on a resource.
func (s Set) Allows(resource, action string) bool {
	return slices.Contains(s[resource], action)
}

// Source is the policy database.
type Source interface {
	Load(ctx context.Context, subject string) (Set, error)
}

// Change is one message of the database's change feed. It is sent after the
// change has been committed. Reset means that messages may have been missed.
type Change struct {
	Subject string
	Reset   bool
}

const shardCount = 32

type shard struct {
	mu    sync.RWMutex
	sets  map[string]Set
	epoch uint64 // raised with every invalidation
}

// lookup returns the set of a subject. If there is none, the epoch is to be given
// to store together with the set that has been loaded.
func (sh *shard) lookup(subject string) (s Set, epoch uint64, ok bool) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	s, ok = sh.sets[subject]
	return s, sh.epoch, ok
}

// store keeps a set that was loaded after epoch, unless there have been
// invalidations since.
func (sh *shard) store(subject string, s Set, epoch uint64, limit int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.epoch != epoch {
		return
	}
	if _, ok := sh.sets[subject]; !ok && len(sh.sets) >= limit {
		for victim := range sh.sets {
			delete(sh.sets, victim)
			break
		}
	}
	sh.sets[subject] = s
}

func (sh *shard) drop(subject string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.epoch++
	delete(sh.sets, subject)
}

func (sh *shard) clear() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.epoch++
	clear(sh.sets)
}

// Cache holds the rights of recently seen subjects until the change feed says
// that they have changed. It is safe for concurrent use.
type Cache struct {
	src    Source
	limit  int // per shard
	seed   maphash.Seed
	shards [shardCount]shard

	hits, misses atomic.Uint64
}

// New returns a cache of up to size subjects in front of src.
func New(src Source, size int) *Cache {
	c := &Cache{src: src, limit: max(1, size/shardCount), seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].sets = make(map[string]Set)
	}
	return c
}

func (c *Cache) shardOf(subject string) *shard {
	return &c.shards[maphash.String(c.seed, subject)%shardCount]
}

// Get returns the rights of a subject, from the database if need be.
func (c *Cache) Get(ctx context.Context, subject string) (Set, error) {
	sh := c.shardOf(subject)
	s, epoch, ok := sh.lookup(subject)
	if ok {
		c.hits.Add(1)
		return s, nil
	}
	c.misses.Add(1)
	s, err := c.src.Load(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("grants: load %q: %w", subject, err)
	}
	sh.store(subject, s, epoch, c.limit)
	return s, nil
}

// Check reports whether a subject may perform an action on a resource.
func (c *Cache) Check(ctx context.Context, subject, resource, action string) (bool, error) {
	s, err := c.Get(ctx, subject)
	if err != nil {
		return false, err
	}
	return s.Allows(resource, action), nil
}

// Invalidate drops what the cache knows about a subject.
func (c *Cache) Invalidate(subject string) {
	c.shardOf(subject).drop(subject)
}

// InvalidateAll drops everything.
func (c *Cache) InvalidateAll() {
	for i := range c.shards {
		c.shards[i].clear()
	}
}

// Follow applies the change feed. It returns at shutdown, when ctx ends or the
// feed is closed. The feed reconnects by itself and then sends a Reset.
func (c *Cache) Follow(ctx context.Context, feed <-chan Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case ch, ok := <-feed:
			if !ok {
				return
			}
			if ch.Reset {
				c.InvalidateAll()
			} else {
				c.Invalidate(ch.Subject)
			}
		}
	}
}

// Hits returns the number of lookups that were answered from memory.
func (c *Cache) Hits() uint64 { return c.hits.Load() }

// Misses returns the number of lookups that went to the database.
func (c *Cache) Misses() uint64 { return c.misses.Load() }
