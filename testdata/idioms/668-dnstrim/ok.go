// Package recordcache keeps DNS record sets up to a number of names.
package recordcache

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// RRSet is the answer to one question.
type RRSet struct {
	Name string
	Data []string
}

type record struct {
	set     RRSet
	expires time.Time
	pinned  bool
	used    atomic.Int64 // ns of the last hit
}

type victim struct {
	name string
	rec  *record
	used int64
}

// Cache is trimmed in the background and may exceed its limit in between.
type Cache struct {
	limit int

	mu   sync.RWMutex
	recs map[string]*record
}

// New returns a cache for about limit names.
func New(limit int) *Cache {
	return &Cache{limit: limit, recs: make(map[string]*record)}
}

// Put stores a set for ttl; pinned sets stay until they are unpinned.
func (c *Cache) Put(s RRSet, ttl time.Duration, pinned bool) {
	now := time.Now()
	r := &record{set: s, expires: now.Add(ttl), pinned: pinned}
	r.used.Store(now.UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recs[s.Name] = r
}

// Pin keeps a record that is here.
func (c *Cache) Pin(name string, on bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.recs[name]
	if ok {
		r.pinned = on
	}
	return ok
}

// Get returns a record set that is pinned or has not expired.
func (c *Cache) Get(name string) (RRSet, bool) {
	now := time.Now()
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.recs[name]
	if !ok || !r.pinned && now.After(r.expires) {
		return RRSet{}, false
	}
	r.used.Store(now.UnixNano())
	return r.set, true
}

// victims lists expired records and, if there are still too many names, those
// that have not been used for longest.
func (c *Cache) victims(now time.Time) []victim {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var old, live []victim
	for name, r := range c.recs {
		v := victim{name, r, r.used.Load()}
		switch {
		case r.pinned:
		case now.After(r.expires):
			old = append(old, v)
		default:
			live = append(live, v)
		}
	}
	over := min(len(c.recs)-len(old)-c.limit, len(live))
	if over > 0 {
		slices.SortFunc(live, func(a, b victim) int { return int(min(max(a.used-b.used, -1), 1)) })
		old = append(old, live[:over]...)
	}
	return old
}

func (c *Cache) trim(now time.Time) (n int) {
	vs := c.victims(now)
	for chunk := range slices.Chunk(vs, 256) {
		c.mu.Lock()
		for _, v := range chunk {
			r, ok := c.recs[v.name]
			if !ok || r != v.rec || r.pinned {
				continue
			}
			if !now.After(r.expires) && r.used.Load() != v.used {
				continue
			}
			delete(c.recs, v.name)
			n++
		}
		c.mu.Unlock()
	}
	return n
}

// Run trims until ctx ends.
func (c *Cache) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			c.trim(now)
		}
	}
}
