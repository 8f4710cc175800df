// Package fix keeps login sessions by user.
package fix

import (
	"sync"
	"time"
)

// Session is one login of a user.
type Session struct {
	User    string
	ID      string
	Created time.Time

	expires time.Time // guarded by Manager.mu
}

type ref struct{ user, id string }

// Manager owns all sessions.
type Manager struct {
	ttl   time.Duration
	onEnd func(*Session)

	mu     sync.RWMutex
	byUser map[string]map[string]*Session
}

func NewManager(ttl time.Duration, onEnd func(*Session)) *Manager {
	return &Manager{ttl: ttl, onEnd: onEnd, byUser: make(map[string]map[string]*Session)}
}

// Open starts a session; false when id is taken.
func (m *Manager) Open(user, id string) bool {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	ss := m.byUser[user]
	if ss == nil {
		ss = make(map[string]*Session)
		m.byUser[user] = ss
	}
	if _, taken := ss[id]; taken {
		return false
	}
	ss[id] = &Session{User: user, ID: id, Created: now, expires: now.Add(m.ttl)}
	return true
}

// Touch keeps a session alive for another ttl and reports whether it lives.
func (m *Manager) Touch(user, id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.byUser[user][id]
	if !ok {
		return false
	}
	s.expires = time.Now().Add(m.ttl)
	return true
}

// End closes a session.
func (m *Manager) End(user, id string) bool {
	m.mu.Lock()
	s := m.remove(user, id)
	m.mu.Unlock()
	if s == nil {
		return false
	}
	m.onEnd(s)
	return true
}

// remove needs the lock.
func (m *Manager) remove(user, id string) *Session {
	ss := m.byUser[user]
	s, ok := ss[id]
	if !ok {
		return nil
	}
	delete(ss, id)
	if len(ss) == 0 {
		delete(m.byUser, user)
	}
	return s
}

func (m *Manager) overdue(now time.Time) []ref {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var refs []ref
	for user, ss := range m.byUser {
		for id, s := range ss {
			if s.expires.Before(now) {
				refs = append(refs, ref{user, id})
			}
		}
	}
	return refs
}

// Reap ends the sessions nobody has touched and returns their number.
func (m *Manager) Reap(now time.Time) int {
	n := 0
	for _, r := range m.overdue(now) {
		m.mu.Lock()
		s, ok := m.byUser[r.user][r.id]
		ok = ok && s.expires.Before(now)
		if ok {
			m.remove(r.user, r.id)
		}
		m.mu.Unlock()
		if ok {
			m.onEnd(s)
			n++
		}
	}
	return n
}

// Run reaps every interval until stop is closed.
func (m *Manager) Run(interval time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			m.Reap(now)
		case <-stop:
			return
		}
	}
}
