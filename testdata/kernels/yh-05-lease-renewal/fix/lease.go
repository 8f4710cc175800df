// Package lease keeps the dynamic credentials of a process alive for as long
// as somebody needs them.
package lease

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrUnknown = errors.New("lease: unknown or expired")
	ErrClosed  = errors.New("lease: manager closed")
)

// Lease is a credential with a limited life.
type Lease struct {
	ID     string
	User   string
	Secret string
	Expiry time.Time
}

// Backend is the secrets server. Lease IDs are never used twice.
type Backend interface {
	Issue(ctx context.Context, role string) (Lease, error)
	Renew(ctx context.Context, id string) (time.Time, error)
	Revoke(ctx context.Context, id string) error
}

// Manager is safe for concurrent use.
type Manager struct {
	backend Backend
	margin  time.Duration
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	leases map[string]Lease
	closed bool
}

// NewManager renews leases when less than margin of their life is left.
func NewManager(b Backend, margin, every time.Duration) *Manager {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{
		backend: b,
		margin:  margin,
		cancel:  cancel,
		done:    make(chan struct{}),
		leases:  make(map[string]Lease),
	}
	go m.loop(ctx, every)
	return m
}

// Issue obtains a new credential for a role.
func (m *Manager) Issue(ctx context.Context, role string) (Lease, error) {
	l, err := m.backend.Issue(ctx, role)
	if err != nil {
		return Lease{}, err
	}
	m.mu.Lock()
	if !m.closed {
		m.leases[l.ID] = l
		m.mu.Unlock()
		return l, nil
	}
	m.mu.Unlock()
	return Lease{}, errors.Join(ErrClosed, m.backend.Revoke(ctx, l.ID))
}

// Get returns a live credential. Connection pools call it for every dial.
func (m *Manager) Get(id string) (Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.leases[id]
	if !ok || time.Now().After(l.Expiry) {
		return Lease{}, ErrUnknown
	}
	return l, nil
}

// Revoke ends a credential at once, for instance because it has leaked.
func (m *Manager) Revoke(ctx context.Context, id string) error {
	m.mu.Lock()
	_, ok := m.leases[id]
	delete(m.leases, id)
	m.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	return m.backend.Revoke(ctx, id)
}

func (m *Manager) loop(ctx context.Context, every time.Duration) {
	defer close(m.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, l := range m.due(now) {
				m.renew(ctx, l)
			}
		}
	}
}

// due lists what needs renewal and forgets what has expired.
func (m *Manager) due(now time.Time) []Lease {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Lease
	for id, l := range m.leases {
		left := l.Expiry.Sub(now)
		switch {
		case left <= 0:
			delete(m.leases, id)
		case left < m.margin:
			out = append(out, l)
		}
	}
	return out
}

func (m *Manager) renew(ctx context.Context, l Lease) {
	expiry, err := m.backend.Renew(ctx, l.ID)
	if err != nil {
		slog.Warn("lease: renewal failed, will retry", "lease", l.ID, "err", err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	cur, ok := m.leases[l.ID]
	if !ok {
		return // revoked in the meantime
	}
	cur.Expiry = expiry
	m.leases[l.ID] = cur
}

// Close stops renewing and revokes all credentials.
func (m *Manager) Close(ctx context.Context) error {
	m.cancel()
	<-m.done
	m.mu.Lock()
	m.closed = true
	leases := m.leases
	m.leases = make(map[string]Lease)
	m.mu.Unlock()

	var errs []error
	for id := range leases {
		errs = append(errs, m.backend.Revoke(ctx, id))
	}
	return errors.Join(errs...)
}
