package mechanisms

import (
	"sync"
	"time"
)

type token struct{ text string }

// A session is renewed with its time: what is inside of a time.Time does not change by itself.
type session struct {
	mu     sync.Mutex
	until  time.Time
	cached *token
	login  func() (string, time.Time)
}

func (s *session) renew() *token {
	text, until := s.login()
	s.until = until
	s.cached = &token{text}
	return s.cached
}

func (s *session) token() *token {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cached != nil && time.Now().Before(s.until) {
		return s.cached
	}
	return s.renew()
}

// replace renews the session unless another one has done so.
func (s *session) replace(old *token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old != s.cached {
		return
	}
	s.renew()
}

func (s *session) Do(f func(*token) bool) {
	if t := s.token(); !f(t) {
		s.replace(t)
	}
}

// Extend sets the time from one that may be old.
func (s *session) Extend(d time.Duration) {
	s.mu.Lock()
	until := s.until
	s.mu.Unlock()
	s.mu.Lock()
	s.until = until.Add(d) // want `lost-update: s\.until was read`
	s.mu.Unlock()
}
