package arena

import (
	"hash/maphash"
	"sync"
)

const shardCount = 16

// location is the place of a record. Places are never reused.
type location struct {
	pack uint32
	off  int
	size int
}

// index maps names to locations, in shards that are locked one by one.
type index struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

type shard struct {
	mu   sync.Mutex
	locs map[string]location
}

func newIndex() *index {
	x := &index{seed: maphash.MakeSeed()}
	for i := range x.shards {
		x.shards[i].locs = make(map[string]location)
	}
	return x
}

func (x *index) shard(name string) *shard {
	return &x.shards[maphash.String(x.seed, name)%shardCount]
}

func (x *index) get(name string) (location, bool) {
	sh := x.shard(name)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	loc, ok := sh.locs[name]
	return loc, ok
}

func (x *index) set(name string, loc location) {
	sh := x.shard(name)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.locs[name] = loc
}

func (x *index) delete(name string) bool {
	sh := x.shard(name)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	_, ok := sh.locs[name]
	delete(sh.locs, name)
	return ok
}
