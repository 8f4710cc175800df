package a

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	ErrLeaseNotFound = errors.New("lease not found")
	ErrLeaseExists   = errors.New("lease already exists")
)

type LeaseID int64

// Lease is a time-bound grant keys may be attached to. Its fields are guarded
// by the mutex of the lessor that granted it.
type Lease struct {
	ID           LeaseID
	ttl          time.Duration
	remainingTTL time.Duration
	expiry       time.Time
	items        map[string]struct{}
}

func (l *Lease) refresh(now time.Time) { l.expiry = now.Add(l.ttl) }

func (l *Lease) expired(now time.Time) bool { return !l.expiry.After(now) }

// Checkpointer proposes a new remaining TTL through consensus and returns once
// the proposal has been applied by Checkpoint.
type Checkpointer func(ctx context.Context, id LeaseID, remaining time.Duration) error

// lessor owns the leases of the primary member.
type lessor struct {
	mu        sync.RWMutex
	leaseMap  map[LeaseID]*Lease
	itemMap   map[string]LeaseID
	expiryIdx map[LeaseID]time.Time
	cp        Checkpointer
	remove    func(key string)
}

func newLessor(cp Checkpointer, remove func(key string)) *lessor {
	return &lessor{
		leaseMap:  make(map[LeaseID]*Lease),
		itemMap:   make(map[string]LeaseID),
		expiryIdx: make(map[LeaseID]time.Time),
		cp:        cp,
		remove:    remove,
	}
}

// lookup returns a lease that is still live. The caller holds le.mu.
func (le *lessor) lookup(id LeaseID) (*Lease, error) {
	l := le.leaseMap[id]
	if l == nil || l.expired(time.Now()) {
		return nil, ErrLeaseNotFound
	}
	return l, nil
}

func (le *lessor) Grant(id LeaseID, ttl time.Duration) (*Lease, error) {
	l := &Lease{ID: id, ttl: ttl, items: make(map[string]struct{})}
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leaseMap[id]; ok {
		return nil, ErrLeaseExists
	}
	l.refresh(time.Now())
	le.leaseMap[id] = l
	le.expiryIdx[id] = l.expiry
	return l, nil
}

// Renew extends a lease by its full TTL. A checkpointed remaining TTL is
// cleared through consensus first, so that a new primary starts from the full
// TTL as well.
func (le *lessor) Renew(ctx context.Context, id LeaseID) (time.Duration, error) {
	le.mu.RLock()
	l, err := le.lookup(id)
	if err != nil {
		le.mu.RUnlock()
		return -1, err
	}
	clearRemaining := le.cp != nil && l.remainingTTL > 0
	le.mu.RUnlock()

	if clearRemaining {
		if err := le.cp(ctx, id, 0); err != nil {
			return -1, err
		}
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	if l, err = le.lookup(id); err != nil {
		return -1, err
	}
	l.refresh(time.Now())
	le.expiryIdx[id] = l.expiry
	return l.ttl, nil
}

// Checkpoint applies a remaining TTL agreed upon by the members.
func (le *lessor) Checkpoint(id LeaseID, remaining time.Duration) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leaseMap[id]
	if l == nil {
		return ErrLeaseNotFound
	}
	l.remainingTTL = remaining
	return nil
}

// Attach binds a key to a live lease.
func (le *lessor) Attach(id LeaseID, key string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, err := le.lookup(id)
	if err != nil {
		return err
	}
	if old, ok := le.itemMap[key]; ok {
		if ol := le.leaseMap[old]; ol != nil {
			delete(ol.items, key)
		}
	}
	l.items[key] = struct{}{}
	le.itemMap[key] = id
	return nil
}

// Revoke drops the lease together with the keys attached to it.
func (le *lessor) Revoke(id LeaseID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leaseMap[id]
	if l == nil {
		return ErrLeaseNotFound
	}
	for key := range l.items {
		delete(le.itemMap, key)
		le.remove(key)
	}
	delete(le.leaseMap, id)
	delete(le.expiryIdx, id)
	return nil
}

// Expired lists the leases that are due, oldest first. They can no longer be
// renewed; the server revokes them one by one.
func (le *lessor) Expired() []LeaseID {
	now := time.Now()
	le.mu.RLock()
	defer le.mu.RUnlock()
	var due []LeaseID
	for id, at := range le.expiryIdx {
		if !at.After(now) {
			due = append(due, id)
		}
	}
	sort.Slice(due, func(i, j int) bool { return le.expiryIdx[due[i]].Before(le.expiryIdx[due[j]]) })
	return due
}
