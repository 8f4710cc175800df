// Package ok grants leases that expire.
package ok

import (
	"errors"
	"sync"
	"time"
)

var (
	errNotPrimary = errors.New("not a primary lessor")
	errNotFound   = errors.New("lease not found")
	errExists     = errors.New("lease exists")
)

// Lease is one lease.
type Lease struct {
	ID  int64
	ttl time.Duration

	mu     sync.RWMutex
	expiry time.Time

	gonec chan struct{}
}

func (l *Lease) expired() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return time.Now().After(l.expiry)
}

func (l *Lease) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expiry = time.Now().Add(l.ttl)
}

// Granter holds all leases.
type Granter struct {
	mu      sync.RWMutex
	leases  map[int64]*Lease
	lostc   chan struct{}
	stopc   chan struct{}
	renewed int
}

// NewGranter returns a lessor that is not primary.
func NewGranter() *Granter {
	return &Granter{leases: make(map[int64]*Lease), stopc: make(chan struct{})}
}

func (le *Granter) active() bool { return le.lostc != nil }

// Promote makes the lessor primary and extends all leases.
func (le *Granter) Promote() {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.lostc != nil {
		return
	}
	le.lostc = make(chan struct{})
	for _, l := range le.leases {
		l.refresh()
	}
}

// Demote takes the role away.
func (le *Granter) Demote() {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.lostc != nil {
		close(le.lostc)
		le.lostc = nil
	}
}

// Grant creates a lease.
func (le *Granter) Grant(id int64, ttl time.Duration) (*Lease, error) {
	l := &Lease{ID: id, ttl: ttl, gonec: make(chan struct{})}
	l.refresh()
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leases[id]; ok {
		return nil, errExists
	}
	le.leases[id] = l
	return l, nil
}

// Revoke removes a lease and wakes the renewals that wait for it.
func (le *Granter) Revoke(id int64) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leases[id]
	if l == nil {
		return errNotFound
	}
	delete(le.leases, id)
	close(l.gonec)
	return nil
}

// Renew extends a lease.
func (le *Granter) Renew(id int64) (time.Duration, error) {
	le.mu.RLock()
	if !le.active() {
		le.mu.RUnlock()
		return -1, errNotPrimary
	}
	lostc := le.lostc
	l := le.leases[id]
	le.mu.RUnlock()
	if l == nil {
		return -1, errNotFound
	}

	if l.expired() {
		select {
		case <-l.gonec:
			return -1, errNotFound
		case <-lostc:
			return -1, errNotPrimary
		case <-le.stopc:
			return -1, errNotPrimary
		}
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	if !le.active() {
		return -1, errNotPrimary
	}
	l = le.leases[id]
	if l == nil {
		return -1, errNotFound
	}
	l.refresh()
	le.renewed++
	return l.ttl, nil
}

// RevokeExpired removes the leases that have run out.
func (le *Granter) RevokeExpired() int {
	n := 0
	for _, id := range le.findExpired() {
		le.mu.Lock()
		if l := le.leases[id]; l != nil && le.active() && l.expired() {
			delete(le.leases, id)
			close(l.gonec)
			n++
		}
		le.mu.Unlock()
	}
	return n
}

func (le *Granter) findExpired() []int64 {
	le.mu.RLock()
	defer le.mu.RUnlock()
	if !le.active() {
		return nil
	}
	var ids []int64
	for id, l := range le.leases {
		if l.expired() {
			ids = append(ids, id)
		}
	}
	return ids
}

// Stop ends all waiting; it is called once.
func (le *Granter) Stop() { close(le.stopc) }
