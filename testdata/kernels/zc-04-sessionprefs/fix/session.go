// Package session keeps the web sessions of the shop front end.
package session

import (
	"errors"
	"sync"
	"time"
)

// ErrNoSession is returned for an unknown or idle session.
var ErrNoSession = errors.New("session: not found")

// Prefs are the display settings a visitor has chosen.
type Prefs struct {
	Theme    string
	Locale   string
	Currency string
	PageSize int
}

// Session is the server-side state of one visitor.
type Session struct {
	ID       string
	User     string
	Prefs    Prefs
	LastSeen time.Time
}

// Store holds the live sessions. It is safe for concurrent use.
type Store struct {
	mu   sync.Mutex
	byID map[string]*Session
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{byID: make(map[string]*Session)}
}

// Create adds a session for user.
func (s *Store) Create(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[id] = &Session{
		ID:       id,
		User:     user,
		Prefs:    Prefs{Theme: "light", Locale: "en-US", Currency: "USD", PageSize: 24},
		LastSeen: time.Now(),
	}
}

// With calls fn with the session while no one else has access to it. fn must
// not keep the pointer.
func (s *Store) With(id string, fn func(*Session)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.byID[id]
	if !ok {
		return ErrNoSession
	}
	sess.LastSeen = time.Now()
	fn(sess)
	return nil
}

// Evict drops the sessions that have been idle for longer than max.
func (s *Store) Evict(max time.Duration) int {
	limit := time.Now().Add(-max)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for id, sess := range s.byID {
		if sess.LastSeen.Before(limit) {
			delete(s.byID, id)
			n++
		}
	}
	return n
}
