package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrNoSession = errors.New("session does not exist")

type session struct {
	id       string
	node     string
	ttl      time.Duration
	deadline time.Time
	locks    map[string]struct{}
}

// Manager keeps client sessions and the advisory locks they hold.
type Manager struct {
	mu       sync.Mutex
	seq      int
	sessions map[string]*session
	holders  map[string]string // lock name -> session id
	batch    int
}

func NewManager(batch int) *Manager {
	return &Manager{
		sessions: make(map[string]*session),
		holders:  make(map[string]string),
		batch:    batch,
	}
}

// Open starts a session for a node.
func (m *Manager) Open(node string, ttl time.Duration) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	id := fmt.Sprintf("%s-%d", node, m.seq)
	m.sessions[id] = &session{
		id:       id,
		node:     node,
		ttl:      ttl,
		deadline: time.Now().Add(ttl),
		locks:    make(map[string]struct{}),
	}
	return id
}

// Renew pushes the deadline of a session out by its TTL.
func (m *Manager) Renew(id string) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok {
		return 0, ErrNoSession
	}
	s.deadline = time.Now().Add(s.ttl)
	return s.ttl, nil
}

// Acquire takes the named lock for the session.
func (m *Manager) Acquire(id, name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok {
		return false, ErrNoSession
	}
	if holder, held := m.holders[name]; held {
		return holder == id, nil
	}
	m.holders[name] = id
	s.locks[name] = struct{}{}
	return true, nil
}

// Destroy ends a session and frees what it held.
func (m *Manager) Destroy(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok {
		return ErrNoSession
	}
	m.end(s)
	return nil
}

func (m *Manager) end(s *session) {
	for name := range s.locks {
		delete(m.holders, name)
	}
	delete(m.sessions, s.id)
}

// overdue lists up to one batch of sessions past their deadline.
func (m *Manager) overdue(now time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []string
	for id, s := range m.sessions {
		if now.After(s.deadline) {
			ids = append(ids, id)
			if len(ids) == m.batch {
				break
			}
		}
	}
	return ids
}

// expire ends a session if it is past its deadline.
func (m *Manager) expire(id string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok || !now.After(s.deadline) {
		return false
	}
	m.end(s)
	return true
}

// Sweep ends overdue sessions and says how many it ended.
func (m *Manager) Sweep(now time.Time) int {
	ended := 0
	for _, id := range m.overdue(now) {
		if m.expire(id, now) {
			ended++
		}
	}
	return ended
}

// Run sweeps until the context ends.
func (m *Manager) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			m.Sweep(now)
		}
	}
}
