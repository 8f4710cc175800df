// Package sweep keeps upstream sessions open per backend and closes those that
// have not been used for a while.
package sweep

import (
	"context"
	"sync"
	"time"
)

// Session is an open upstream session. It may be used by several requests at
// once.
type Session interface {
	Send(ctx context.Context, msg []byte) ([]byte, error)
	Close() error
}

// Dial opens a session to a backend.
type Dial func(ctx context.Context, backend string) (Session, error)

type entry struct {
	session  Session
	lastUsed time.Time
	inUse    int
}

// Manager hands out sessions. It is safe for concurrent use.
type Manager struct {
	dial    Dial
	maxIdle time.Duration

	mu      sync.Mutex
	entries map[string]*entry
}

// New returns a Manager that keeps unused sessions for maxIdle.
func New(dial Dial, maxIdle time.Duration) *Manager {
	return &Manager{dial: dial, maxIdle: maxIdle, entries: make(map[string]*entry)}
}

// Do sends msg to backend over a shared session.
func (m *Manager) Do(ctx context.Context, backend string, msg []byte) ([]byte, error) {
	e, err := m.checkout(ctx, backend)
	if err != nil {
		return nil, err
	}
	defer m.checkin(e)
	return e.session.Send(ctx, msg)
}

func (m *Manager) checkout(ctx context.Context, backend string) (*entry, error) {
	m.mu.Lock()
	if e, ok := m.entries[backend]; ok {
		e.inUse++
		m.mu.Unlock()
		return e, nil
	}
	m.mu.Unlock()

	s, err := m.dial(ctx, backend)
	if err != nil {
		return nil, err
	}

	m.mu.Lock()
	e, ok := m.entries[backend]
	if !ok {
		e = &entry{session: s}
		m.entries[backend] = e
	}
	e.inUse++
	m.mu.Unlock()
	if ok {
		_ = s.Close() // another request dialled first
	}
	return e, nil
}

func (m *Manager) checkin(e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.inUse--
	e.lastUsed = time.Now()
}

func (m *Manager) isIdle(e *entry, now time.Time) bool {
	return e.inUse == 0 && now.Sub(e.lastUsed) > m.maxIdle
}

// idle names the backends whose session has gone unused.
func (m *Manager) idle(now time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name, e := range m.entries {
		if m.isIdle(e, now) {
			names = append(names, name)
		}
	}
	return names
}

// remove takes the session of backend out of the table if it is idle.
func (m *Manager) remove(backend string, now time.Time) (Session, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[backend]
	if !ok || !m.isIdle(e, now) {
		return nil, false
	}
	delete(m.entries, backend)
	return e.session, true
}

// Sweep closes the sessions that are idle and returns their number.
func (m *Manager) Sweep() int {
	now := time.Now()
	n := 0
	for _, name := range m.idle(now) {
		if s, ok := m.remove(name, now); ok {
			_ = s.Close()
			n++
		}
	}
	return n
}

// Run sweeps every period until ctx is done.
func (m *Manager) Run(ctx context.Context, period time.Duration) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.Sweep()
		case <-ctx.Done():
			return
		}
	}
}
