// Package a serves blocking queries on scheduled allocations.
package a

import (
	"context"
	"errors"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNoNode   = errors.New("state: allocation without a node")
	ErrTooMany  = errors.New("endpoint: too many blocking queries")
	ErrOldIndex = errors.New("state: index went backwards")
)

const (
	defaultWait = 5 * time.Minute
	maxWait     = 10 * time.Minute
)

// Alloc is a task group placed on a node.
type Alloc struct {
	ID, Node, Job string
	Status        string
	ModifyIndex   uint64
}

// Store is the state machine's table of allocations.
type Store struct {
	mu      sync.RWMutex
	allocs  map[string]Alloc
	index   uint64
	changed chan struct{} // closed and replaced by each write
}

// NewStore returns an empty table.
func NewStore() *Store {
	return &Store{allocs: make(map[string]Alloc), changed: make(chan struct{})}
}

// Upsert applies a log entry.
func (s *Store) Upsert(index uint64, allocs ...Alloc) error {
	for _, a := range allocs {
		if a.Node == "" {
			return ErrNoNode
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if index <= s.index {
		return ErrOldIndex
	}
	for _, a := range allocs {
		a.ModifyIndex = index
		s.allocs[a.ID] = a
	}
	s.wrote(index)
	return nil
}

// Delete removes allocations that were garbage collected.
func (s *Store) Delete(index uint64, ids ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index <= s.index {
		return ErrOldIndex
	}
	for _, id := range ids {
		delete(s.allocs, id)
	}
	s.wrote(index)
	return nil
}

// wrote publishes a write; the lock is held.
func (s *Store) wrote(index uint64) {
	s.index = index
	close(s.changed)
	s.changed = make(chan struct{})
}

// Watch returns a channel that the next write closes.
func (s *Store) Watch() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.changed
}

// ByNode returns the allocations of a node and the index of the table.
func (s *Store) ByNode(node string) ([]Alloc, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Alloc
	for _, a := range s.allocs {
		if a.Node == node {
			out = append(out, a)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, s.index
}

// Query are the options of a blocking query.
type Query struct {
	Node     string
	MinIndex uint64 // return when the table is newer
	MaxWait  time.Duration
}

// Reply is the answer.
type Reply struct {
	Allocs []Alloc
	Index  uint64
}

// Endpoint answers the clients.
type Endpoint struct {
	store *Store
	limit int64

	blocked  atomic.Int64
	served   atomic.Uint64
	timeouts atomic.Uint64
}

// NewEndpoint serves at most limit blocking queries.
func NewEndpoint(s *Store, limit int) *Endpoint {
	return &Endpoint{store: s, limit: int64(limit)}
}

// ListAllocs answers when there is something newer than q.MinIndex.
func (e *Endpoint) ListAllocs(ctx context.Context, q Query) (Reply, error) {
	if e.blocked.Add(1) > e.limit {
		e.blocked.Add(-1)
		return Reply{}, ErrTooMany
	}
	defer e.blocked.Add(-1)

	wait := q.MaxWait
	if wait <= 0 {
		wait = defaultWait
	} else if wait > maxWait {
		wait = maxWait
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()

	for {
		changed := e.store.Watch()
		allocs, index := e.store.ByNode(q.Node)
		if q.MinIndex == 0 || index > q.MinIndex {
			e.served.Add(1)
			return Reply{allocs, index}, nil
		}
		select {
		case <-changed:
		case <-deadline.C:
			e.timeouts.Add(1)
			return Reply{allocs, index}, nil
		case <-ctx.Done():
			return Reply{}, ctx.Err()
		}
	}
}

// Stats returns the counters.
func (e *Endpoint) Stats() (blocked int64, served, timeouts uint64) {
	return e.blocked.Load(), e.served.Load(), e.timeouts.Load()
}
