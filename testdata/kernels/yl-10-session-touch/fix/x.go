// Package fix keeps web sessions.
package fix

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// Session is a value: a stored session is never changed, only replaced.
type Session struct {
	User    string
	Started time.Time
	Seen    time.Time
	Hits    int
	Roles   []string
}

func (s *Session) stale(now time.Time, idle, age time.Duration) bool {
	return now.Sub(s.Seen) > idle || now.Sub(s.Started) > age
}

type Sessions struct {
	idle time.Duration
	age  time.Duration
	byID sync.Map // string -> *Session
}

func NewSessions(idle, age time.Duration) *Sessions {
	return &Sessions{idle: idle, age: age}
}

// Login opens a session and returns its id.
func (s *Sessions) Login(user string, roles ...string) string {
	id := rand.Text()
	now := time.Now()
	s.byID.Store(id, &Session{User: user, Started: now, Seen: now, Roles: roles})
	return id
}

// Logout ends a session.
func (s *Sessions) Logout(id string) {
	s.byID.Delete(id)
}

// LogoutUser ends all sessions of a user, for instance after a new password.
func (s *Sessions) LogoutUser(user string) (n int) {
	s.byID.Range(func(k, v any) bool {
		if v.(*Session).User == user {
			if _, ok := s.byID.LoadAndDelete(k); ok {
				n++
			}
		}
		return true
	})
	return n
}

// Touch is called with each request; it tells whether the session is good.
func (s *Sessions) Touch(id string) (*Session, bool) {
	now := time.Now()
	return s.change(id, func(n *Session) bool {
		if n.stale(now, s.idle, s.age) {
			return false
		}
		if now.After(n.Seen) {
			n.Seen = now
		}
		n.Hits++
		return true
	})
}

// Grant gives the session a further role.
func (s *Sessions) Grant(id, role string) bool {
	_, ok := s.change(id, func(n *Session) bool {
		if !slices.Contains(n.Roles, role) {
			n.Roles = append(slices.Clone(n.Roles), role)
		}
		return true
	})
	return ok
}

func (s *Sessions) get(id string) (*Session, bool) {
	v, ok := s.byID.Load(id)
	if !ok {
		return nil, false
	}
	return v.(*Session), true
}

func (s *Sessions) change(id string, edit func(*Session) bool) (*Session, bool) {
	for {
		cur, ok := s.get(id)
		if !ok {
			return nil, false
		}
		next := *cur
		if !edit(&next) {
			return nil, false
		}
		if s.byID.CompareAndSwap(id, cur, &next) {
			return &next, true
		}
	}
}

// Sweep removes the sessions that nobody uses any more.
func (s *Sessions) Sweep() (n int) {
	now := time.Now()
	s.byID.Range(func(k, v any) bool {
		if v.(*Session).stale(now, s.idle, s.age) && s.byID.CompareAndDelete(k, v) {
			n++
		}
		return true
	})
	return n
}
