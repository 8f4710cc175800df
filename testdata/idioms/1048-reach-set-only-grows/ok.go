// Package reach counts how many distinct people a campaign has reached.
package reach

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const shards = 16

type shard struct {
	mu   sync.RWMutex
	seen map[string]struct{}
}

func (s *shard) has(user string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.seen[user]
	return ok
}

func (s *shard) put(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[user] = struct{}{}
}

func (s *shard) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.seen)
}

// Campaign is the audience of one campaign. People are only ever added.
type Campaign struct {
	seed   maphash.Seed
	shards [shards]shard
	opened atomic.Bool
}

// NewCampaign returns a campaign that has reached nobody.
func NewCampaign() *Campaign {
	c := &Campaign{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].seen = make(map[string]struct{})
	}
	return c
}

func (c *Campaign) shard(user string) *shard {
	return &c.shards[maphash.String(c.seed, user)%shards]
}

// Delivered notes that a notification got through to user. Most calls are for
// people we know, so look first and avoid the write lock.
func (c *Campaign) Delivered(user string) {
	s := c.shard(user)
	if s.has(user) {
		return
	}
	s.put(user)
}

// Opened notes that somebody has opened a notification.
func (c *Campaign) Opened(user string) {
	c.Delivered(user)
	if !c.opened.Load() {
		c.opened.Store(true)
	}
}

// Reached reports whether user has had a notification.
func (c *Campaign) Reached(user string) bool { return c.shard(user).has(user) }

// Audience returns at least the number of people reached before the call.
func (c *Campaign) Audience() int {
	n := 0
	for i := range c.shards {
		n += c.shards[i].size()
	}
	return n
}

// Effective reports whether anybody opened a notification so far.
func (c *Campaign) Effective() bool { return c.opened.Load() }
