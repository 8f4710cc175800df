// Package fix keeps the leases of issued secrets and takes the secrets back
// when nobody renews them.
package fix

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNoLease = errors.New("lease: not found")

// Backend is the system that issued the secret.
type Backend interface {
	Revoke(ctx context.Context, secret string) error
}

type lease struct {
	id       string
	secret   string
	ttl      time.Duration
	expires  time.Time
	renewals int
}

type Manager struct {
	backend Backend
	jobs    chan string
	quit    chan struct{}
	stop    sync.Once
	wg      sync.WaitGroup

	revoked atomic.Int64
	failed  atomic.Int64

	mu     sync.Mutex
	leases map[string]*lease
}

func NewManager(b Backend, workers int) *Manager {
	m := &Manager{
		backend: b,
		jobs:    make(chan string, 64),
		quit:    make(chan struct{}),
		leases:  make(map[string]*lease),
	}
	for i := 0; i < workers; i++ {
		m.wg.Add(1)
		go m.worker()
	}
	return m
}

// Register records a freshly issued secret.
func (m *Manager) Register(id, secret string, ttl time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[id] = &lease{id: id, secret: secret, ttl: ttl, expires: time.Now().Add(ttl)}
}

// Renew prolongs a lease that is still on record and tells the client until
// when the secret will work.
func (m *Manager) Renew(id string) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.leases[id]
	if !ok {
		return time.Time{}, ErrNoLease
	}
	l.expires = time.Now().Add(l.ttl)
	l.renewals++
	return l.expires, nil
}

// Sweep hands the leases whose time is over to the workers. It is run by a
// ticker.
func (m *Manager) Sweep() int {
	ids := m.due(time.Now())
	for i, id := range ids {
		select {
		case m.jobs <- id:
		case <-m.quit:
			return i
		}
	}
	return len(ids)
}

func (m *Manager) due(now time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []string
	for id, l := range m.leases {
		if now.After(l.expires) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *Manager) worker() {
	defer m.wg.Done()
	for {
		select {
		case id := <-m.jobs:
			m.revoke(id)
		case <-m.quit:
			return
		}
	}
}

func (m *Manager) revoke(id string) {
	m.mu.Lock()
	l, ok := m.leases[id]
	if !ok || time.Now().Before(l.expires) {
		m.mu.Unlock()
		return
	}
	delete(m.leases, id)
	m.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := m.backend.Revoke(ctx, l.secret); err != nil {
		m.failed.Add(1)
		return
	}
	m.revoked.Add(1)
}

// Close stops the workers; leases stay as they are.
func (m *Manager) Close() {
	m.stop.Do(func() { close(m.quit) })
	m.wg.Wait()
}
