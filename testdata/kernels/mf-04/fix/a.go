// Package a holds the replicated ranges of a key-value store.
package a

import (
	"sort"
	"sync"
)

// RangeDescriptor says which keys a range has and where it lives.
// Generation grows with every change.
type RangeDescriptor struct {
	RangeID    int64
	StartKey   string
	EndKey     string
	Generation int64
	Replicas   []int32
}

// HasReplica reports whether the store is a member of the range.
func (d *RangeDescriptor) HasReplica(store int32) bool {
	for _, r := range d.Replicas {
		if r == store {
			return true
		}
	}
	return false
}

// Lease names the store that serves reads of the range.
type Lease struct {
	Holder   int32
	Sequence int64
}

// RangeInfo is what clients put into their range caches. The holder of
// the lease is one of the replicas of the descriptor.
type RangeInfo struct {
	Desc  *RangeDescriptor
	Lease Lease
}

// Replica is one range on this store.
type Replica struct {
	mu struct {
		sync.RWMutex
		desc  *RangeDescriptor // never modified in place
		lease Lease
	}
}

func NewReplica(desc *RangeDescriptor, lease Lease) *Replica {
	r := &Replica{}
	r.mu.desc = desc
	r.mu.lease = lease
	return r
}

// Desc returns the current descriptor.
func (r *Replica) Desc() *RangeDescriptor {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.mu.desc
}

// GetLease returns the current lease.
func (r *Replica) GetLease() Lease {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.mu.lease
}

// applyRelocation installs the result of a replica change, which may
// move the lease to one of the new members.
func (r *Replica) applyRelocation(desc *RangeDescriptor, holder int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if desc.Generation <= r.mu.desc.Generation {
		return
	}
	r.mu.desc = desc
	if r.mu.lease.Holder != holder {
		r.mu.lease = Lease{Holder: holder, Sequence: r.mu.lease.Sequence + 1}
	}
}

// rangeInfo describes the replica for a response header.
func (r *Replica) rangeInfo() RangeInfo {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return RangeInfo{Desc: r.mu.desc, Lease: r.mu.lease}
}

// Store has the replicas of one node.
type Store struct {
	mu       sync.RWMutex
	replicas map[int64]*Replica
}

func NewStore() *Store { return &Store{replicas: make(map[int64]*Replica)} }

// Add puts a new range into the store; every id is added once.
func (s *Store) Add(id int64, r *Replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas[id] = r
}

func (s *Store) replica(id int64) *Replica {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.replicas[id]
}

// Relocate is called when a replica change of the range commits.
func (s *Store) Relocate(id int64, desc *RangeDescriptor, holder int32) {
	if r := s.replica(id); r != nil && desc.HasReplica(holder) {
		r.applyRelocation(desc, holder)
	}
}

// Lookup answers a client that missed its range cache.
func (s *Store) Lookup(id int64) (RangeInfo, bool) {
	r := s.replica(id)
	if r == nil {
		return RangeInfo{}, false
	}
	return r.rangeInfo(), true
}

// IDs lists the ranges of the store.
func (s *Store) IDs() []int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := make([]int64, 0, len(s.replicas))
	for id := range s.replicas {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}
