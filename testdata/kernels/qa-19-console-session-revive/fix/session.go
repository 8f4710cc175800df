// Package session keeps the log-ins of operators at the consoles of a ground
// station.
package session

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

const cookieName = "gs_session"

// Errors of the manager.
var (
	ErrNoSession = errors.New("session: not logged in")
	ErrExpired   = errors.New("session: expired")
)

// Session is a log-in.
type Session struct {
	Token    string
	Operator string
	Roles    []string
	Created  time.Time
	LastSeen time.Time
}

// Allows tells whether the operator has a role.
func (s Session) Allows(role string) bool { return slices.Contains(s.Roles, role) }

// Store keeps sessions by token.
type Store interface {
	Load(token string) (Session, bool)
	Save(Session)
	Update(token string, edit func(*Session) error) (Session, error)
	Delete(match func(Session) bool) int
}

// memory is the Store of a single server.
type memory struct {
	mu sync.RWMutex
	m  map[string]Session
}

// NewMemory returns a Store that forgets at restart.
func NewMemory() Store { return &memory{m: make(map[string]Session)} }

func (s *memory) Load(token string) (Session, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.m[token]
	return v, ok
}

func (s *memory) Save(v Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[v.Token] = v
}

func (s *memory) Update(token string, edit func(*Session) error) (Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[token]
	if !ok {
		return Session{}, ErrNoSession
	}
	if err := edit(&v); err != nil {
		return Session{}, err
	}
	s.m[token] = v
	return v, nil
}

func (s *memory) Delete(match func(Session) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for k, v := range s.m {
		if match(v) {
			delete(s.m, k)
			n++
		}
	}
	return n
}

// Manager checks requests against a Store.
type Manager struct {
	store Store
	idle  time.Duration
	now   func() time.Time
}

// NewManager returns a Manager; sessions end after idle without a request.
func NewManager(s Store, idle time.Duration) *Manager {
	return &Manager{store: s, idle: idle, now: time.Now}
}

// Login starts a session.
func (m *Manager) Login(operator string, roles []string) Session {
	t := m.now()
	s := Session{Token: rand.Text(), Operator: operator, Roles: slices.Clone(roles), Created: t, LastSeen: t}
	m.store.Save(s)
	return s
}

// Revoke ends all sessions of an operator.
func (m *Manager) Revoke(operator string) int {
	return m.store.Delete(func(s Session) bool { return s.Operator == operator })
}

// Logout ends one session.
func (m *Manager) Logout(token string) {
	m.store.Delete(func(s Session) bool { return s.Token == token })
}

// Touch returns the session of a token and extends it.
func (m *Manager) Touch(token string) (Session, error) {
	return m.store.Update(token, func(s *Session) error {
		t := m.now()
		if t.Sub(s.LastSeen) > m.idle {
			return ErrExpired
		}
		s.LastSeen = t
		return nil
	})
}

// Sweep removes idle sessions until ctx is done.
func (m *Manager) Sweep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t := m.now()
			m.store.Delete(func(s Session) bool { return t.Sub(s.LastSeen) > m.idle })
		}
	}
}

type ctxKey struct{}

// From returns the session of a request.
func From(ctx context.Context) (Session, bool) {
	s, ok := ctx.Value(ctxKey{}).(Session)
	return s, ok
}

// Require lets only operators with a role through.
func (m *Manager) Require(role string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(cookieName)
		if err != nil {
			http.Error(w, ErrNoSession.Error(), http.StatusUnauthorized)
			return
		}
		s, err := m.Touch(c.Value)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if !s.Allows(role) {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ctxKey{}, s)))
	})
}
