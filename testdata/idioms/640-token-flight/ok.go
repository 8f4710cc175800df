// Package tokens gets access tokens for an API client, one request at a time.
package tokens

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ErrEmpty means that the authority sent no token.
var ErrEmpty = errors.New("tokens: authority sent an empty token")

// Token grants access until it expires.
type Token struct {
	Value   string
	Expires time.Time
}

func (t Token) usable(now time.Time) bool {
	return t.Value != "" && now.Add(30*time.Second).Before(t.Expires)
}

// Fetch asks the authority for a token for a scope.
type Fetch func(ctx context.Context, scope string) (Token, error)

type flight struct {
	done  chan struct{}
	stale bool
	token Token
	err   error
}

// Source caches a token a scope.
type Source struct {
	fetch   Fetch
	timeout time.Duration

	mu      sync.Mutex
	tokens  map[string]Token
	flights map[string]*flight
}

// NewSource returns an empty source.
func NewSource(fetch Fetch, timeout time.Duration) *Source {
	return &Source{
		fetch:   fetch,
		timeout: timeout,
		tokens:  make(map[string]Token),
		flights: make(map[string]*flight),
	}
}

func (s *Source) board(scope string) (tok Token, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if tok := s.tokens[scope]; tok.usable(time.Now()) {
		return tok, nil
	}
	f, under := s.flights[scope]
	if !under {
		f = &flight{done: make(chan struct{})}
		s.flights[scope] = f
		go s.run(scope, f)
	}
	return Token{}, f
}

func (s *Source) run(scope string, f *flight) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	tok, err := s.fetch(ctx, scope)
	if err == nil && tok.Value == "" {
		err = ErrEmpty
	}

	s.mu.Lock()
	f.token, f.err = tok, err
	if !f.stale {
		delete(s.flights, scope)
		if err == nil {
			s.tokens[scope] = tok
		}
	}
	s.mu.Unlock()
	close(f.done)
}

// Token returns a token for a scope.
func (s *Source) Token(ctx context.Context, scope string) (Token, error) {
	tok, f := s.board(scope)
	if f == nil {
		return tok, nil
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
	if f.err != nil {
		return Token{}, fmt.Errorf("tokens: scope %s: %w", scope, f.err)
	}
	return f.token, nil
}

// Reset forgets the token of a scope, for instance after a password change.
func (s *Source) Reset(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, scope)
	if f, ok := s.flights[scope]; ok {
		f.stale = true
		delete(s.flights, scope)
	}
}

// Authorize adds a token to a request.
func (s *Source) Authorize(req *http.Request, scope string) error {
	tok, err := s.Token(req.Context(), scope)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+tok.Value)
	return nil
}
