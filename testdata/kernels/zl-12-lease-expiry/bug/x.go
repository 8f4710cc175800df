// Package bug is a key-value store whose keys can hang on leases.
package bug

import (
	"context"
	"errors"
	"sync"
	"time"
)

var ErrNoLease = errors.New("lease: not found")

// LeaseID names a lease.
type LeaseID int64

type lease struct {
	id       LeaseID
	ttl      time.Duration
	deadline time.Time
	keys     map[string]bool
}

type value struct {
	data  string
	lease LeaseID
}

// Store is used by the request handlers; Run expires leases.
type Store struct {
	mu      sync.RWMutex
	leases  map[LeaseID]*lease
	values  map[string]value
	lastID  LeaseID
	expired chan []LeaseID
	now     func() time.Time
}

func NewStore() *Store {
	return &Store{
		leases:  make(map[LeaseID]*lease),
		values:  make(map[string]value),
		expired: make(chan []LeaseID, 16),
		now:     time.Now,
	}
}

// Grant makes a lease.
func (s *Store) Grant(ttl time.Duration) LeaseID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	s.leases[s.lastID] = &lease{id: s.lastID, ttl: ttl, deadline: s.now().Add(ttl), keys: make(map[string]bool)}
	return s.lastID
}

// Renew gives a lease its full time again.
func (s *Store) Renew(id LeaseID) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		return 0, ErrNoLease
	}
	l.deadline = s.now().Add(l.ttl)
	return l.ttl, nil
}

// Put writes a key that lives as long as the lease.
func (s *Store) Put(key, data string, id LeaseID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		return ErrNoLease
	}
	if old, ok := s.values[key]; ok {
		delete(s.leases[old.lease].keys, key)
	}
	l.keys[key] = true
	s.values[key] = value{data: data, lease: id}
	return nil
}

// Get reads a key.
func (s *Store) Get(key string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.values[key]
	return v.data, ok
}

// drop wants s.mu held.
func (s *Store) drop(l *lease) {
	delete(s.leases, l.id)
	for key := range l.keys {
		delete(s.values, key)
	}
}

// Revoke ends a lease and deletes its keys.
func (s *Store) Revoke(id LeaseID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[id]
	if !ok {
		return ErrNoLease
	}
	s.drop(l)
	return nil
}

func (s *Store) overdue() []LeaseID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := s.now()
	var ids []LeaseID
	for id, l := range s.leases {
		if now.After(l.deadline) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Store) scan(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if ids := s.overdue(); len(ids) > 0 {
				select {
				case s.expired <- ids:
				default: // the next round finds them again
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// Run looks for overdue leases and ends them, a batch at a time, until ctx ends.
func (s *Store) Run(ctx context.Context, every time.Duration) {
	go s.scan(ctx, every)
	for {
		select {
		case ids := <-s.expired:
			for _, id := range ids {
				_ = s.Revoke(id)
			}
		case <-ctx.Done():
			return
		}
	}
}
