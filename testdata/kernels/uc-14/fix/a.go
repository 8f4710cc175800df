package a

import (
	"errors"
	"sync"
	"time"
)

var (
	// ErrHeld is returned when somebody else holds the lease.
	ErrHeld = errors.New("lease: held by another owner")
	// ErrLost is returned when the lease has run out.
	ErrLost = errors.New("lease: lost")
)

// lease is the right of an owner to a resource until the timer fires.
type lease struct {
	owner string
	timer *time.Timer
	turn  uint64
}

// Manager hands out leases on named resources.
type Manager struct {
	ttl      time.Duration
	onExpire func(name, owner string)

	mu     sync.Mutex
	leases map[string]*lease
}

// NewManager makes a manager. onExpire is told of leases that ran out.
func NewManager(ttl time.Duration, onExpire func(name, owner string)) *Manager {
	return &Manager{ttl: ttl, onExpire: onExpire, leases: make(map[string]*lease)}
}

// armLocked starts the time of a lease anew. The caller holds m.mu.
func (m *Manager) armLocked(name string, l *lease) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.turn++
	turn := l.turn
	l.timer = time.AfterFunc(m.ttl, func() { m.expire(name, l, turn) })
}

// Acquire takes a lease that nobody holds.
func (m *Manager) Acquire(name, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, ok := m.leases[name]; ok {
		if l.owner != owner {
			return ErrHeld
		}
		m.armLocked(name, l)
		return nil
	}
	l := &lease{owner: owner}
	m.leases[name] = l
	m.armLocked(name, l)
	return nil
}

// Renew prolongs a lease. When it returns nil the owner has the full ttl.
func (m *Manager) Renew(name, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.leases[name]
	if !ok || l.owner != owner {
		return ErrLost
	}
	m.armLocked(name, l)
	return nil
}

// Release gives a lease back before its time.
func (m *Manager) Release(name, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.leases[name]
	if !ok || l.owner != owner {
		return ErrLost
	}
	l.timer.Stop()
	delete(m.leases, name)
	return nil
}

// expire ends a lease whose time is over.
func (m *Manager) expire(name string, l *lease, turn uint64) {
	m.mu.Lock()
	if m.leases[name] != l || l.turn != turn {
		m.mu.Unlock()
		return
	}
	delete(m.leases, name)
	m.mu.Unlock()
	if m.onExpire != nil {
		m.onExpire(name, l.owner)
	}
}

// Holder returns the owner of a lease.
func (m *Manager) Holder(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.leases[name]
	if !ok {
		return "", false
	}
	return l.owner, true
}
