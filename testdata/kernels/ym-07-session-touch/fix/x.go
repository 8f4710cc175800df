// Package fix keeps login sessions. Stored sessions are never changed; a
// change stores a new one.
package fix

import (
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoSession = errors.New("session: unknown or expired")
	ErrExists    = errors.New("session: id in use")
)

type Session struct {
	ID      string
	User    string
	Scopes  []string
	Expires time.Time
}

func (s *Session) with(fn func(*Session)) *Session {
	next := *s
	next.Scopes = slices.Clone(s.Scopes)
	fn(&next)
	return &next
}

// table is a sync.Map with types.
type table[K comparable, V any] struct{ m sync.Map }

func (t *table[K, V]) get(k K) (*V, bool) {
	v, ok := t.m.Load(k)
	if !ok {
		return nil, false
	}
	return v.(*V), true
}

func (t *table[K, V]) add(k K, v *V) bool {
	_, loaded := t.m.LoadOrStore(k, v)
	return !loaded
}

func (t *table[K, V]) put(k K, v *V)            { t.m.Store(k, v) }
func (t *table[K, V]) swap(k K, old, v *V) bool { return t.m.CompareAndSwap(k, old, v) }
func (t *table[K, V]) drop(k K)                 { t.m.Delete(k) }
func (t *table[K, V]) dropIf(k K, old *V) bool  { return t.m.CompareAndDelete(k, old) }

func (t *table[K, V]) each(fn func(K, *V)) {
	t.m.Range(func(k, v any) bool {
		fn(k.(K), v.(*V))
		return true
	})
}

type Manager struct {
	ttl      time.Duration
	sessions table[string, Session]
}

func NewManager(ttl time.Duration) *Manager { return &Manager{ttl: ttl} }

// Restore takes over saved sessions; it is called before serving starts.
func (m *Manager) Restore(saved []Session) {
	for _, s := range saved {
		m.sessions.put(s.ID, &s)
	}
}

func (m *Manager) Login(id, user string, scopes ...string) (*Session, error) {
	s := &Session{ID: id, User: user, Scopes: slices.Clone(scopes), Expires: time.Now().Add(m.ttl)}
	if !m.sessions.add(id, s) {
		return nil, ErrExists
	}
	return s, nil
}

// SetScopes replaces what a session may do.
func (m *Manager) SetScopes(id string, scopes ...string) error {
	for {
		cur, ok := m.sessions.get(id)
		if !ok {
			return ErrNoSession
		}
		next := cur.with(func(s *Session) { s.Scopes = slices.Clone(scopes) })
		if m.sessions.swap(id, cur, next) {
			return nil
		}
	}
}

// Touch is called with every request: it finds the session and, when half of
// its time is over, prolongs it.
func (m *Manager) Touch(id string) (*Session, error) {
	now := time.Now()
	for {
		cur, ok := m.sessions.get(id)
		if !ok || now.After(cur.Expires) {
			return nil, ErrNoSession
		}
		if cur.Expires.Sub(now) > m.ttl/2 {
			return cur, nil
		}
		next := cur.with(func(s *Session) { s.Expires = now.Add(m.ttl) })
		if m.sessions.swap(id, cur, next) {
			return next, nil
		}
	}
}

func (m *Manager) Logout(id string) { m.sessions.drop(id) }

// LogoutUser ends all sessions of a user.
func (m *Manager) LogoutUser(user string) {
	m.sessions.each(func(id string, s *Session) {
		for s.User == user && !m.sessions.dropIf(id, s) {
			var ok bool
			if s, ok = m.sessions.get(id); !ok {
				return
			}
		}
	})
}

// Sweep takes out what has expired.
func (m *Manager) Sweep(now time.Time) (n int) {
	m.sessions.each(func(id string, s *Session) {
		if now.After(s.Expires) && m.sessions.dropIf(id, s) {
			n++
		}
	})
	return n
}
