// Package session keeps the login sessions of a web application in memory.
package session

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const cookieName = "sid"

// Info is what the application knows about a session.
type Info struct {
	ID       string
	User     string
	LastSeen time.Time
}

// Manager is safe for concurrent use. A session ends when it is not used for
// the idle time.
type Manager struct {
	idle    time.Duration
	onEnd   func(Info)
	done    chan struct{}
	stopped sync.Once

	mu       sync.RWMutex
	sessions map[string]*Info
}

// NewManager starts a manager. onEnd is called for sessions that time out.
func NewManager(idle time.Duration, onEnd func(Info)) *Manager {
	m := &Manager{
		idle:     idle,
		onEnd:    onEnd,
		done:     make(chan struct{}),
		sessions: make(map[string]*Info),
	}
	go m.loop()
	return m
}

// Close stops the sweeper.
func (m *Manager) Close() { m.stopped.Do(func() { close(m.done) }) }

func (m *Manager) loop() {
	t := time.NewTicker(m.idle / 4)
	defer t.Stop()
	for {
		select {
		case <-m.done:
			return
		case now := <-t.C:
			for _, id := range m.overdue(now) {
				if info, ok := m.end(id, now); ok {
					m.onEnd(info)
				}
			}
		}
	}
}

// overdue scans with the read lock only; there can be a million sessions.
func (m *Manager) overdue(now time.Time) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var ids []string
	for id, s := range m.sessions {
		if now.Sub(s.LastSeen) > m.idle {
			ids = append(ids, id)
		}
	}
	return ids
}

// end removes a session that has been idle for too long at the given time.
func (m *Manager) end(id string, now time.Time) (Info, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok || now.Sub(s.LastSeen) <= m.idle {
		return Info{}, false
	}
	delete(m.sessions, id)
	return *s, true
}

// Login opens a session and sets its cookie.
func (m *Manager) Login(w http.ResponseWriter, user string) {
	s := &Info{ID: rand.Text(), User: user, LastSeen: time.Now()}
	m.mu.Lock()
	m.sessions[s.ID] = s
	m.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.ID, HttpOnly: true, Secure: true})
}

// Touch returns the session of a request and marks it as used.
func (m *Manager) Touch(r *http.Request) (Info, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return Info{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	s, ok := m.sessions[c.Value]
	if !ok || now.Sub(s.LastSeen) > m.idle {
		return Info{}, false
	}
	s.LastSeen = now
	return *s, true
}

// Logout ends the session of a request, if there is one.
func (m *Manager) Logout(r *http.Request) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return
	}
	m.mu.Lock()
	delete(m.sessions, c.Value)
	m.mu.Unlock()
}
