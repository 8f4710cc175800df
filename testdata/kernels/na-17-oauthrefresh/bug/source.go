// Package oauth hands out access tokens and refreshes them when they expire.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// ErrRevoked means that the user has to sign in again.
var ErrRevoked = errors.New("oauth: grant revoked")

// Token is one access token and the refresh token that follows it.
type Token struct {
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token"`
	Expires time.Time `json:"-"`
	In      int       `json:"expires_in"`
}

func (t Token) valid(now time.Time, leeway time.Duration) bool {
	return t.Access != "" && now.Add(leeway).Before(t.Expires)
}

// Endpoint exchanges refresh tokens. Each may be used once.
type Endpoint interface {
	Exchange(ctx context.Context, refresh string) (Token, error)
}

// HTTPEndpoint talks to a token endpoint.
type HTTPEndpoint struct {
	URL, ClientID string
	Client        *http.Client
}

// Exchange implements Endpoint.
func (e *HTTPEndpoint) Exchange(ctx context.Context, refresh string) (Token, error) {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {e.ClientID}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := e.Client.Do(req)
	if err != nil {
		return Token{}, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest:
		return Token{}, ErrRevoked
	default:
		return Token{}, fmt.Errorf("oauth: token endpoint: %s", resp.Status)
	}
	var t Token
	if err := json.NewDecoder(resp.Body).Decode(&t); err != nil {
		return Token{}, err
	}
	t.Expires = time.Now().Add(time.Duration(t.In) * time.Second)
	return t, nil
}

// Source is shared by all requests made for one user.
type Source struct {
	ep     Endpoint
	leeway time.Duration

	refreshing sync.Mutex // held during an exchange

	mu  sync.RWMutex
	tok Token
}

// NewSource returns a source that starts from t.
func NewSource(ep Endpoint, t Token) *Source {
	return &Source{ep: ep, leeway: 10 * time.Second, tok: t}
}

func (s *Source) current() Token {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tok
}

func (s *Source) set(t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tok = t
}

// Token returns a valid access token.
func (s *Source) Token(ctx context.Context) (string, error) {
	t := s.current()
	if t.valid(time.Now(), s.leeway) {
		return t.Access, nil
	}
	return s.refresh(ctx, t)
}

func (s *Source) refresh(ctx context.Context, old Token) (string, error) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	next, err := s.ep.Exchange(ctx, old.Refresh)
	if err != nil {
		return "", fmt.Errorf("refresh: %w", err)
	}
	if next.Refresh == "" {
		next.Refresh = old.Refresh
	}
	s.set(next)
	return next.Access, nil
}

// Transport adds the token to requests.
type Transport struct {
	Source *Source
	Base   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	access, err := t.Source.Token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+access)
	return t.Base.RoundTrip(r)
}
