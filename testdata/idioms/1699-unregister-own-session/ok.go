// Package a routes pushed messages to the sessions of users. A user has
// one session; a new login replaces the old one.
package a

import (
	"sync"
)

// Session is one login.
type Session struct {
	user string
	out  chan string
	gone chan struct{}
	once sync.Once
}

// Messages delivers what is pushed to the session.
func (s *Session) Messages() <-chan string { return s.out }

// Gone is closed when the session has ended.
func (s *Session) Gone() <-chan struct{} { return s.gone }

func (s *Session) end() { s.once.Do(func() { close(s.gone) }) }

// Hub has the current session of every user.
type Hub struct {
	mu       sync.RWMutex
	sessions map[string]*Session
}

func NewHub() *Hub { return &Hub{sessions: make(map[string]*Session)} }

func (h *Hub) swap(s *Session) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.sessions[s.user]
	h.sessions[s.user] = s
	return old
}

// Login starts a session and ends the previous one of the user.
func (h *Hub) Login(user string) *Session {
	s := &Session{user: user, out: make(chan string, 8), gone: make(chan struct{})}
	if old := h.swap(s); old != nil {
		old.end()
	}
	return s
}

// Logout ends the session.
func (h *Hub) Logout(s *Session) {
	s.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[s.user] == s {
		delete(h.sessions, s.user)
	}
}

func (h *Hub) find(user string) *Session {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.sessions[user]
}

// Kick ends the session that the user has now.
func (h *Hub) Kick(user string) {
	if s := h.find(user); s != nil {
		h.Logout(s)
	}
}

// Online is the number of users with a session.
func (h *Hub) Online() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.sessions)
}

// Push offers a message to the session of a user. Delivery is best
// effort; it reports whether the message was queued.
func (h *Hub) Push(user, msg string) bool {
	s := h.find(user)
	if s == nil {
		return false
	}
	select {
	case s.out <- msg:
		return true
	default:
		return false
	}
}
