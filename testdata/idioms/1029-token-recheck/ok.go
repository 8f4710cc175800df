// Package tokens caches the service tokens that a gateway attaches to its calls.
package tokens

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Token is a bearer token for one audience.
type Token struct {
	Value   string
	Expires time.Time
}

func (t Token) usable(now time.Time) bool {
	return t.Value != "" && now.Add(time.Minute).Before(t.Expires)
}

// Endpoint issues tokens. It counts every call against our quota.
type Endpoint interface {
	Issue(ctx context.Context, audience string) (Token, error)
}

// Source keeps the token of one audience.
type Source struct {
	endpoint Endpoint
	audience string

	mu    sync.RWMutex
	token Token
}

func NewSource(e Endpoint, audience string) *Source {
	return &Source{endpoint: e, audience: audience}
}

func (s *Source) cached() Token {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.token
}

// Token returns a token that is good for at least a minute.
func (s *Source) Token(ctx context.Context) (string, error) {
	if t := s.cached(); t.usable(time.Now()) {
		return t.Value, nil
	}
	t, err := s.fetch(ctx)
	if err != nil {
		return "", err
	}
	return t.Value, nil
}

func (s *Source) fetch(ctx context.Context) (Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.usable(time.Now()) {
		return s.token, nil
	}
	t, err := s.endpoint.Issue(ctx, s.audience)
	if err != nil {
		return Token{}, err
	}
	s.token = t
	return t, nil
}

// Transport adds the token to each request.
type Transport struct {
	Source *Source
	Base   http.RoundTripper
}

func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	tok, err := t.Source.Token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+tok)
	return t.Base.RoundTrip(r)
}
