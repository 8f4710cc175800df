// Package lease grants named, time-bounded leases to cluster nodes.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrHeld    = errors.New("lease: held by another owner")
	ErrNotHeld = errors.New("lease: not held")
)

// Lease describes who owns a name and until when.
type Lease struct {
	Owner    string
	Token    uint64
	Expires  time.Time
	Renewals int
}

// Manager is safe for use by several goroutines.
type Manager struct {
	mu     sync.RWMutex
	leases map[string]Lease
	token  uint64
	now    func() time.Time
}

// NewManager returns a manager without leases.
func NewManager() *Manager {
	return &Manager{leases: make(map[string]Lease), now: time.Now}
}

// Acquire grants name to owner unless another owner holds it.
func (m *Manager) Acquire(name, owner string, ttl time.Duration) (Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if cur, ok := m.leases[name]; ok && cur.Owner != owner && now.Before(cur.Expires) {
		return Lease{}, ErrHeld
	}
	m.token++
	l := Lease{Owner: owner, Token: m.token, Expires: now.Add(ttl)}
	m.leases[name] = l
	return l, nil
}

// Renew extends a lease that is held under token.
func (m *Manager) Renew(name string, token uint64, ttl time.Duration) (Lease, error) {
	l, ok := m.lookup(name)
	if !ok || l.Token != token {
		return Lease{}, ErrNotHeld
	}
	now := m.now()
	if !now.Before(l.Expires) {
		return Lease{}, ErrNotHeld
	}
	l.Expires = now.Add(ttl)
	l.Renewals++
	m.store(name, l)
	return l, nil
}

// Release gives a lease up early.
func (m *Manager) Release(name string, token uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cur, ok := m.leases[name]; !ok || cur.Token != token {
		return ErrNotHeld
	}
	delete(m.leases, name)
	return nil
}

// Holder reports the current owner of name.
func (m *Manager) Holder(name string) (string, bool) {
	l, ok := m.lookup(name)
	if !ok || !m.now().Before(l.Expires) {
		return "", false
	}
	return l.Owner, true
}

// Sweep removes expired leases until ctx ends.
func (m *Manager) Sweep(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			m.removeExpired()
		}
	}
}

func (m *Manager) removeExpired() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	for name, l := range m.leases {
		if !now.Before(l.Expires) {
			delete(m.leases, name)
		}
	}
}

func (m *Manager) lookup(name string) (Lease, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.leases[name]
	return l, ok
}

func (m *Manager) store(name string, l Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[name] = l
}
