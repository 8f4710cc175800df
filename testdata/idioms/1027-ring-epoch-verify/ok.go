// Package ring assigns the shards of a keyspace to nodes.
package ring

import (
	"hash/fnv"
	"slices"
	"sync"
)

// Assignment is the ring at one epoch.
type Assignment struct {
	Epoch    uint64
	Owners   []string
	Replicas [][]string
}

// Ring is changed by the coordinator and read by the proxies.
type Ring struct {
	mu       sync.RWMutex
	epoch    uint64
	owners   []string
	replicas [][]string
}

// New returns a ring of n shards without owners that follows the coordinator.
func New(n int, changes <-chan Assignment) *Ring {
	r := &Ring{owners: make([]string, n), replicas: make([][]string, n)}
	go func() {
		for a := range changes {
			r.Apply(a)
		}
	}()
	return r
}

// Apply installs an assignment unless it is older than what is known.
func (r *Ring) Apply(a Assignment) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Epoch <= r.epoch || len(a.Owners) != len(r.owners) || len(a.Replicas) != len(r.owners) {
		return false
	}
	r.epoch = a.Epoch
	r.owners = slices.Clone(a.Owners)
	r.replicas = cloneAll(a.Replicas)
	return true
}

func cloneAll(in [][]string) [][]string {
	out := make([][]string, len(in))
	for i := range in {
		out[i] = slices.Clone(in[i])
	}
	return out
}

// Epoch returns the epoch of the ring.
func (r *Ring) Epoch() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.epoch
}

// Owners returns the primary of every shard.
func (r *Ring) Owners() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.owners)
}

// Replicas returns the replicas of every shard.
func (r *Ring) Replicas() [][]string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return cloneAll(r.replicas)
}

// Snapshot returns owners and replicas of one epoch. The copies are large, and
// so the lock is not held for all of them together.
func (r *Ring) Snapshot() Assignment {
	for {
		a := Assignment{Epoch: r.Epoch()}
		a.Owners = r.Owners()
		a.Replicas = r.Replicas()
		if r.Epoch() == a.Epoch {
			return a
		}
	}
}

// Owner returns the primary for a key and the epoch at which it is.
func (r *Ring) Owner(key string) (string, uint64) {
	h := fnv.New32a()
	h.Write([]byte(key))
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.owners) == 0 {
		return "", r.epoch
	}
	return r.owners[h.Sum32()%uint32(len(r.owners))], r.epoch
}
