// Package tokens caches the access token of an API client.
package tokens

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const earlyRefresh = 30 * time.Second

// Token is a bearer token.
type Token struct {
	Value   string
	Expires time.Time
}

func (t Token) usable(now time.Time) bool {
	return t.Value != "" && now.Add(earlyRefresh).Before(t.Expires)
}

// Credentials identify the client to the token server.
type Credentials struct {
	ID, Secret string
}

// Exchange trades credentials for a token over the network.
type Exchange func(ctx context.Context, c Credentials) (Token, error)

// Source hands out tokens for the current credentials.
type Source struct {
	exchange Exchange

	mu    sync.Mutex
	creds Credentials
	token Token
	epoch uint64
}

// NewSource returns a source without a token.
func NewSource(ex Exchange, c Credentials) *Source {
	return &Source{exchange: ex, creds: c}
}

// Token returns a usable token, fetching one if need be.
func (s *Source) Token(ctx context.Context) (Token, error) {
	for {
		s.mu.Lock()
		tok, creds, epoch := s.token, s.creds, s.epoch
		s.mu.Unlock()
		if tok.usable(time.Now()) {
			return tok, nil
		}
		if err := ctx.Err(); err != nil {
			return Token{}, err
		}
		fresh, err := s.exchange(ctx, creds)
		if err != nil {
			return Token{}, fmt.Errorf("token for %s: %w", creds.ID, err)
		}
		if s.install(epoch, fresh) {
			return fresh, nil
		}
	}
}

func (s *Source) install(epoch uint64, t Token) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch {
		return false
	}
	s.token = t
	s.epoch++
	return true
}

// SetCredentials switches to other credentials and drops the token.
func (s *Source) SetCredentials(c Credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.creds = c
	s.token = Token{}
	s.epoch++
}

// Reject drops a token that the server refused.
func (s *Source) Reject(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Value == value {
		s.token = Token{}
		s.epoch++
	}
}

// Transport adds the token to every request.
type Transport struct {
	Base   http.RoundTripper
	Source *Source
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	tok, err := t.Source.Token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+tok.Value)
	resp, err := t.Base.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		t.Source.Reject(tok.Value)
	}
	return resp, err
}
