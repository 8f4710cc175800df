// Package bug routes keys to the nodes that own their shards.
package bug

import (
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"
)

// Shard is a range of hashes, up to and including End, and its owner.
type Shard struct {
	End  uint32
	Addr string
}

type target struct {
	addr  string
	epoch uint64
}

// Router knows the owner of every shard. A change of owners comes with a new
// epoch. The target of a key is remembered for as long as the epoch lasts.
type Router struct {
	installMu sync.Mutex
	epoch     atomic.Uint64
	shards    atomic.Pointer[[]Shard]

	mu   sync.RWMutex
	pins map[string]target

	hits, misses atomic.Uint64
}

// NewRouter returns a router for the first layout.
func NewRouter(epoch uint64, shards []Shard) *Router {
	r := &Router{pins: make(map[string]target)}
	r.put(epoch, shards)
	return r
}

func (r *Router) put(epoch uint64, shards []Shard) {
	own := slices.Clone(shards)
	slices.SortFunc(own, func(a, b Shard) int {
		switch {
		case a.End < b.End:
			return -1
		case a.End > b.End:
			return 1
		}
		return 0
	})
	r.shards.Store(&own)
	r.epoch.Store(epoch)
}

// Install takes over a newer layout. It says whether it was newer.
func (r *Router) Install(epoch uint64, shards []Shard) bool {
	r.installMu.Lock()
	defer r.installMu.Unlock()
	if epoch <= r.Epoch() {
		return false
	}
	r.put(epoch, shards)
	return true
}

// Epoch returns the epoch of the layout in use.
func (r *Router) Epoch() uint64 {
	return r.epoch.Load()
}

func hash(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()
}

func owner(shards []Shard, key string) string {
	i, _ := slices.BinarySearchFunc(shards, hash(key), func(s Shard, h uint32) int {
		switch {
		case s.End < h:
			return -1
		case s.End > h:
			return 1
		}
		return 0
	})
	if i == len(shards) {
		return ""
	}
	return shards[i].Addr
}

func (r *Router) resolve(key string) target {
	addr := owner(*r.shards.Load(), key)
	return target{addr: addr, epoch: r.epoch.Load()}
}

// Lookup returns the address of the node that owns key.
func (r *Router) Lookup(key string) string {
	r.mu.RLock()
	t, ok := r.pins[key]
	r.mu.RUnlock()
	if ok && t.epoch == r.Epoch() {
		r.hits.Add(1)
		return t.addr
	}
	r.misses.Add(1)
	t = r.resolve(key)
	r.mu.Lock()
	r.pins[key] = t
	r.mu.Unlock()
	return t.addr
}

// Stats returns how many lookups were answered from memory and how many not.
func (r *Router) Stats() (hits, misses uint64) {
	return r.hits.Load(), r.misses.Load()
}
