// Package token supplies an embedded agent with access tokens.
package token

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUnusable is returned when the issuer keeps sending tokens that have been
// rejected or have expired.
var ErrUnusable = errors.New("token: issuer sends no usable token")

const (
	margin   = 30 * time.Second
	attempts = 3
)

// Token is an access token. Serial numbers grow with every token that the
// issuer makes for the device.
type Token struct {
	Serial  uint64
	Secret  string
	Expires time.Time
}

func (t *Token) usable(now time.Time) bool {
	return t != nil && now.Add(margin).Before(t.Expires)
}

// Issuer makes tokens.
type Issuer interface {
	Issue(ctx context.Context) (*Token, error)
}

// Source shares a token between the connections of the agent.
type Source struct {
	issuer Issuer

	mu       sync.RWMutex
	cur      *Token
	rejected uint64 // highest serial that the server has refused
}

// NewSource returns a source without a token.
func NewSource(issuer Issuer) *Source { return &Source{issuer: issuer} }

func (s *Source) cached() *Token {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.cur.usable(time.Now()) {
		return s.cur
	}
	return nil
}

// Get returns a usable token.
func (s *Source) Get(ctx context.Context) (*Token, error) {
	if t := s.cached(); t != nil {
		return t, nil
	}
	for range attempts {
		t, err := s.issuer.Issue(ctx)
		if err != nil {
			return nil, fmt.Errorf("token: %w", err)
		}
		if t = s.install(t); t != nil {
			return t, nil
		}
	}
	return nil, ErrUnusable
}

// install makes the token the current one unless it is outdated, and returns
// the token to be used, if there is one.
func (s *Source) install(t *Token) *Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.cur.usable(now) && s.cur.Serial >= t.Serial {
		return s.cur
	}
	if t.Serial <= s.rejected || !t.usable(now) {
		return nil
	}
	s.cur = t
	return t
}

// Reject is called by a connection whose token was refused by the server.
func (s *Source) Reject(serial uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = max(s.rejected, serial)
	if s.cur != nil && s.cur.Serial <= s.rejected {
		s.cur = nil
	}
}

// Refresh renews the token ahead of its end until the context ends.
func (s *Source) Refresh(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.cached() != nil {
			continue
		}
		_, _ = s.Get(ctx) // the next caller of Get sees the error
	}
}
