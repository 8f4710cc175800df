// Package blockcache is a sharded cache of storage blocks with counters.
package blockcache

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const shards = 8

type shard struct {
	mu     sync.Mutex
	blocks map[uint64][]byte
	order  []uint64
	bytes  int64
}

// Cache holds blocks up to a number of bytes.
type Cache struct {
	perShard int64
	shards   [shards]shard

	hits    atomic.Uint64
	misses  atomic.Uint64
	evicted atomic.Uint64
}

// New returns a cache of about limit bytes.
func New(limit int64) *Cache {
	c := &Cache{perShard: limit / shards}
	for i := range c.shards {
		c.shards[i].blocks = make(map[uint64][]byte)
	}
	return c
}

func (c *Cache) shard(id uint64) *shard { return &c.shards[id%shards] }

// Get returns a block, which the caller must not change.
func (c *Cache) Get(id uint64) ([]byte, bool) {
	s := c.shard(id)
	s.mu.Lock()
	b, ok := s.blocks[id]
	s.mu.Unlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return b, ok
}

// Put adds a block and drops the oldest ones that do not fit any more.
func (c *Cache) Put(id uint64, b []byte) {
	s := c.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blocks[id]; ok {
		return
	}
	s.blocks[id] = b
	s.order = append(s.order, id)
	s.bytes += int64(len(b))
	for s.bytes > c.perShard && len(s.order) > 1 {
		old := s.order[0]
		s.order = s.order[1:]
		s.bytes -= int64(len(s.blocks[old]))
		delete(s.blocks, old)
		c.evicted.Add(1)
	}
}

// Stats for people.
type Stats struct {
	Hits, Misses, Evicted uint64
	Bytes                 int64
	Blocks                int
}

// HitRate in percent.
func (s Stats) HitRate() float64 {
	if s.Hits+s.Misses == 0 {
		return 0
	}
	return 100 * float64(s.Hits) / float64(s.Hits+s.Misses)
}

// Stats adds up the shards.
func (c *Cache) Stats() Stats {
	st := Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Evicted: c.evicted.Load()}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		st.Bytes += s.bytes
		st.Blocks += len(s.blocks)
		s.mu.Unlock()
	}
	return st
}

// ServeHTTP is the metrics page.
func (c *Cache) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	st := c.Stats()
	fmt.Fprintf(w, "blockcache_hits %d\nblockcache_misses %d\nblockcache_evicted %d\nblockcache_bytes %d\n",
		st.Hits, st.Misses, st.Evicted, st.Bytes)
}

// LogStats writes a line every interval until ctx ends.
func (c *Cache) LogStats(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			st := c.Stats()
			slog.Info("block cache", "hit_rate", st.HitRate(), "blocks", st.Blocks, "bytes", st.Bytes)
		}
	}
}
