// Package routing maps keys to the shards of a storage cluster.
package routing

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrNoShard is returned while the table is empty.
	ErrNoShard = errors.New("routing: no shards")
	// ErrStale is returned by a shard that was called with an old epoch.
	ErrStale = errors.New("routing: stale epoch")
)

// Shard serves a part of the keys.
type Shard interface {
	Put(ctx context.Context, epoch uint64, key string, val []byte) error
}

// table is immutable.
type table struct {
	epoch  uint64
	names  []string
	shards map[string]Shard
}

// Router sends keys to shards.
type Router struct {
	mu  sync.Mutex // held by writers
	cur atomic.Pointer[table]
}

// NewRouter returns a router without shards.
func NewRouter() *Router {
	r := new(Router)
	r.cur.Store(&table{shards: map[string]Shard{}})
	return r
}

// change stores a changed copy of the table.
func (r *Router) change(f func(shards map[string]Shard) bool) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.cur.Load()
	shards := maps.Clone(old.shards)
	if !f(shards) {
		return old.epoch
	}
	next := &table{epoch: old.epoch + 1, shards: shards, names: slices.Sorted(maps.Keys(shards))}
	r.cur.Store(next)
	return next.epoch
}

// Add puts a shard into the table and returns the epoch.
func (r *Router) Add(name string, s Shard) uint64 {
	return r.change(func(shards map[string]Shard) bool {
		shards[name] = s
		return true
	})
}

// Remove takes a shard out of the table and returns the epoch.
func (r *Router) Remove(name string) uint64 {
	return r.change(func(shards map[string]Shard) bool {
		_, ok := shards[name]
		delete(shards, name)
		return ok
	})
}

// Epoch returns the present epoch.
func (r *Router) Epoch() uint64 { return r.cur.Load().epoch }

func (t *table) pick(key string) (string, Shard, error) {
	if len(t.names) == 0 {
		return "", nil, ErrNoShard
	}
	h := fnv.New64a()
	h.Write([]byte(key))
	name := t.names[h.Sum64()%uint64(len(t.names))]
	return name, t.shards[name], nil
}

func (r *Router) putOnce(ctx context.Context, key string, val []byte) error {
	t := r.cur.Load()
	name, s, err := t.pick(key)
	if err != nil {
		return err
	}
	if err := s.Put(ctx, t.epoch, key, val); err != nil {
		return fmt.Errorf("shard %s, epoch %d: %w", name, t.epoch, err)
	}
	return nil
}

// Put writes a key; it is tried again when the shard knows a newer table.
func (r *Router) Put(ctx context.Context, key string, val []byte) error {
	for {
		err := r.putOnce(ctx, key, val)
		if !errors.Is(err, ErrStale) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
