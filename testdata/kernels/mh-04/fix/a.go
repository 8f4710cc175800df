// Package a tracks the leases of secrets that backends hand out.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrLeaseNotFound = errors.New("lease not found")
	ErrNotRenewable  = errors.New("lease is not renewable")
)

// Backend issues secrets. Renew fails for a secret that was revoked.
type Backend interface {
	Renew(ctx context.Context, secret string, inc time.Duration) (time.Duration, error)
	Revoke(ctx context.Context, secret string) error
}

// leaseEntry is the state of one lease.
type leaseEntry struct {
	id        string
	secret    string
	renewable bool
	expire    time.Time
}

// LeaseInfo is what clients see of a lease.
type LeaseInfo struct {
	ID     string
	Expire time.Time
}

// Manager owns the leases. IDs are random and never used twice.
type Manager struct {
	backend Backend
	now     func() time.Time

	mu      sync.Mutex
	pending map[string]*leaseEntry
	failed  []string // secrets whose revocation has to be tried again
}

// NewManager returns a manager for the secrets of one backend.
func NewManager(b Backend) *Manager {
	return &Manager{
		backend: b,
		now:     time.Now,
		pending: make(map[string]*leaseEntry),
	}
}

// Register adds the lease of a new secret.
func (m *Manager) Register(id, secret string, ttl time.Duration, renewable bool) LeaseInfo {
	le := &leaseEntry{id: id, secret: secret, renewable: renewable, expire: m.now().Add(ttl)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending[id] = le
	return LeaseInfo{ID: id, Expire: le.expire}
}

// load returns a copy of a lease.
func (m *Manager) load(id string) (leaseEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	le, ok := m.pending[id]
	if !ok {
		return leaseEntry{}, fmt.Errorf("%w: %s", ErrLeaseNotFound, id)
	}
	return *le, nil
}

// persist records the expiry of a lease and returns what is in force.
func (m *Manager) persist(le leaseEntry) (LeaseInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cur, ok := m.pending[le.id]
	if !ok {
		return LeaseInfo{}, fmt.Errorf("%w: %s", ErrLeaseNotFound, le.id)
	}
	if cur.expire.After(le.expire) {
		le.expire = cur.expire
	}
	m.pending[le.id] = &le
	return LeaseInfo{ID: le.id, Expire: le.expire}, nil
}

// Lookup describes a lease.
func (m *Manager) Lookup(id string) (LeaseInfo, error) {
	le, err := m.load(id)
	if err != nil {
		return LeaseInfo{}, err
	}
	return LeaseInfo{ID: le.id, Expire: le.expire}, nil
}

// Renew asks the backend for more time. The backend may grant less than asked
// for; a renewal never shortens a lease.
func (m *Manager) Renew(ctx context.Context, id string, inc time.Duration) (LeaseInfo, error) {
	le, err := m.load(id)
	if err != nil {
		return LeaseInfo{}, err
	}
	if !le.renewable {
		return LeaseInfo{}, ErrNotRenewable
	}
	granted, err := m.backend.Renew(ctx, le.secret, inc)
	if err != nil {
		return LeaseInfo{}, fmt.Errorf("renew %s: %w", id, err)
	}
	le.expire = m.now().Add(granted)
	return m.persist(le)
}

// Revoke ends a lease now.
func (m *Manager) Revoke(ctx context.Context, id string) error {
	m.mu.Lock()
	le, ok := m.pending[id]
	delete(m.pending, id)
	m.mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrLeaseNotFound, id)
	}
	m.revokeSecret(ctx, le.secret)
	return nil
}

// Tidy revokes what has run out and retries the revocations that failed.
func (m *Manager) Tidy(ctx context.Context) {
	now := m.now()
	m.mu.Lock()
	due := m.failed
	m.failed = nil
	for id, le := range m.pending {
		if !le.expire.After(now) {
			due = append(due, le.secret)
			delete(m.pending, id)
		}
	}
	m.mu.Unlock()
	for _, secret := range due {
		m.revokeSecret(ctx, secret)
	}
}

func (m *Manager) revokeSecret(ctx context.Context, secret string) {
	if err := m.backend.Revoke(ctx, secret); err != nil {
		m.mu.Lock()
		m.failed = append(m.failed, secret)
		m.mu.Unlock()
	}
}
