package atomics

import (
	"sync"
	"sync/atomic"
)

type table struct{ slots map[string]int }

type backends struct{ urls []string }

// A Router has two tables, of which the one has positions in the other. They are replaced together.
type Router struct {
	install  sync.Mutex
	slots    atomic.Pointer[table]
	backends atomic.Pointer[backends]
}

func (r *Router) Install(t *table, b *backends) {
	r.install.Lock()
	defer r.install.Unlock()
	r.backends.Store(b)
	r.slots.Store(t)
}

// target finds a string, and makes none.
func (r *Router) target(slot int) string { return r.backends.Load().urls[slot] }

// Route takes a position of one table into another one.
func (r *Router) Route(host string) string {
	slot := r.slots.Load().slots[host]
	return r.target(slot) // want `split-read: r.slots at line \d+ and r.backends here are read apart`
}

type shard struct {
	addr  string
	epoch uint64
}

// Shards has the owners of an epoch. A helper stores both for all who install new ones.
type Shards struct {
	install sync.Mutex
	epoch   atomic.Uint64
	owners  atomic.Pointer[[]string]
}

func (s *Shards) put(epoch uint64, owners []string) {
	s.owners.Store(&owners)
	s.epoch.Store(epoch)
}

func (s *Shards) Install(epoch uint64, owners []string) bool {
	s.install.Lock()
	defer s.install.Unlock()
	if epoch <= s.epoch.Load() {
		return false
	}
	s.put(epoch, owners)
	return true
}

// Resolve may have the owner of the epoch before.
func (s *Shards) Resolve(i int) shard {
	addr := (*s.owners.Load())[i]
	return shard{addr: addr, epoch: s.epoch.Load()} // want `split-read: s.owners at line \d+ and s.epoch here are read apart`
}
