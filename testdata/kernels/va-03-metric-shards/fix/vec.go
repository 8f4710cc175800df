package metrics

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const shardCount = 16

type Counter struct{ n atomic.Int64 }

func (c *Counter) Inc()         { c.n.Add(1) }
func (c *Counter) Value() int64 { return c.n.Load() }

type shard[K comparable] struct {
	sync.RWMutex
	byLabel map[K]*Counter
}

type Vec[K comparable] struct {
	seed   maphash.Seed
	shards [shardCount]shard[K]
}

func NewVec[K comparable]() *Vec[K] {
	v := &Vec[K]{seed: maphash.MakeSeed()}
	for i := range v.shards {
		v.shards[i].byLabel = make(map[K]*Counter)
	}
	return v
}

func (v *Vec[K]) shardOf(label K) *shard[K] {
	return &v.shards[maphash.Comparable(v.seed, label)%shardCount]
}

func (v *Vec[K]) With(label K) *Counter {
	sh := v.shardOf(label)

	sh.RLock()
	c, ok := sh.byLabel[label]
	sh.RUnlock()
	if ok {
		return c
	}

	sh.Lock()
	defer sh.Unlock()
	if c, ok = sh.byLabel[label]; ok {
		return c
	}
	c = new(Counter)
	sh.byLabel[label] = c
	return c
}

func (v *Vec[K]) Delete(label K) {
	sh := v.shardOf(label)
	sh.Lock()
	defer sh.Unlock()
	delete(sh.byLabel, label)
}

func (v *Vec[K]) Collect(emit func(K, int64)) {
	for i := range v.shards {
		sh := &v.shards[i]
		sh.RLock()
		for label, c := range sh.byLabel {
			emit(label, c.Value())
		}
		sh.RUnlock()
	}
}
