// Correct: the lookup is done without the lock, but its answer is kept only
// if no Invalidate has come since before the lookup was begun: the shard's
// epoch is taken with the miss and compared with the insertion. Zones are
// changed first and invalidated afterwards.
package ok

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// Answer is what a zone says of a name.
type Answer struct {
	Addrs []string
	TTL   time.Duration
}

// Lookup asks the zone itself.
type Lookup func(ctx context.Context, name string) (Answer, error)

type kept struct {
	ans     Answer
	expires time.Time
}

type shard struct {
	mu    sync.RWMutex
	epoch uint64
	names map[string]kept
}

func (s *shard) get(name string, now time.Time) (ans Answer, epoch uint64, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	k, ok := s.names[name]
	if ok && now.After(k.expires) {
		ok = false
	}
	return k.ans, s.epoch, ok
}

func (s *shard) put(name string, k kept, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch {
		return
	}
	s.names[name] = k
}

func (s *shard) drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	delete(s.names, name)
}

// Resolver caches answers.
type Resolver struct {
	lookup Lookup
	seed   maphash.Seed
	shards [16]shard
}

func NewResolver(l Lookup) *Resolver {
	r := &Resolver{lookup: l, seed: maphash.MakeSeed()}
	for i := range r.shards {
		r.shards[i].names = make(map[string]kept)
	}
	return r
}

func (r *Resolver) shard(name string) *shard {
	return &r.shards[maphash.String(r.seed, name)%uint64(len(r.shards))]
}

// Resolve answers from the cache or asks the zone.
func (r *Resolver) Resolve(ctx context.Context, name string) ([]string, error) {
	s := r.shard(name)
	now := time.Now()
	ans, epoch, ok := s.get(name, now)
	if ok {
		return ans.Addrs, nil
	}
	ans, err := r.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	s.put(name, kept{ans: ans, expires: now.Add(ans.TTL)}, epoch)
	return ans.Addrs, nil
}

// Invalidate is called after a name has been changed in its zone.
func (r *Resolver) Invalidate(name string) {
	r.shard(name).drop(name)
}
