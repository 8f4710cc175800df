// Correct: the sweep collects candidates in one section and revokes each in
// another, but revoke looks again at the lease's deadline and does nothing if
// the lease was renewed, granted anew or removed in between.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNoLease is returned for leases that have ended.
var ErrNoLease = errors.New("lease not found")

type lease struct {
	ttl      time.Duration
	deadline time.Time
	keys     map[string]struct{}
}

type value struct {
	data  string
	lease string
}

// Store holds keys that go away with their lease.
type Store struct {
	mu     sync.RWMutex
	leases map[string]*lease
	data   map[string]value
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{leases: make(map[string]*lease), data: make(map[string]value)}
}

// Grant makes a lease, or renews the one with this id.
func (s *Store) Grant(id string, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		l = &lease{keys: make(map[string]struct{})}
		s.leases[id] = l
	}
	l.ttl = ttl
	l.deadline = time.Now().Add(ttl)
}

// KeepAlive renews a lease.
func (s *Store) KeepAlive(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		return ErrNoLease
	}
	l.deadline = time.Now().Add(l.ttl)
	return nil
}

// Put writes a key that lives as long as the lease.
func (s *Store) Put(id, key, data string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		return ErrNoLease
	}
	if old, ok := s.data[key]; ok {
		delete(s.leases[old.lease].keys, key)
	}
	l.keys[key] = struct{}{}
	s.data[key] = value{data: data, lease: id}
	return nil
}

// Get returns the value of key.
func (s *Store) Get(key string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v.data, ok
}

func (s *Store) overdue(now time.Time) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []string
	for id, l := range s.leases {
		if l.deadline.Before(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Store) revoke(id string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok || !l.deadline.Before(now) {
		return false
	}
	for key := range l.keys {
		delete(s.data, key)
	}
	delete(s.leases, id)
	return true
}

// Sweep revokes the leases that are overdue and returns how many.
func (s *Store) Sweep(now time.Time) int {
	n := 0
	for _, id := range s.overdue(now) {
		if s.revoke(id, now) {
			n++
		}
	}
	return n
}

// Run sweeps until ctx ends.
func (s *Store) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			s.Sweep(now)
		case <-ctx.Done():
			return
		}
	}
}
