// Package apiauth supplies access tokens to API clients whose identity
// provider rotates the refresh token on every use.
package apiauth

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

// ErrSignedOut means that the provider no longer accepts the refresh token and
// the user has to sign in again.
var ErrSignedOut = errors.New("apiauth: signed out")

// leeway is how long before its expiry a token is renewed.
const leeway = 30 * time.Second

// Token is a pair of credentials as issued by the provider.
type Token struct {
	Access  string
	Refresh string
	Expiry  time.Time
}

func (t Token) fresh() bool {
	return t.Access != "" && time.Until(t.Expiry) > leeway
}

// Source hands out access tokens. It is safe for concurrent use.
type Source struct {
	endpoint string
	clientID string
	hc       *http.Client
	save     func(Token) error // persists the rotated pair

	mu  sync.RWMutex
	tok Token
}

// NewSource returns a source that starts from a stored token.
func NewSource(endpoint, clientID string, initial Token, save func(Token) error) *Source {
	return &Source{
		endpoint: endpoint,
		clientID: clientID,
		hc:       &http.Client{Timeout: 15 * time.Second},
		save:     save,
		tok:      initial,
	}
}

// Access returns a valid access token, renewing it if necessary.
func (s *Source) Access(ctx context.Context) (string, error) {
	s.mu.RLock()
	t := s.tok
	s.mu.RUnlock()
	if t.fresh() {
		return t.Access, nil
	}
	if t.Refresh == "" {
		return "", ErrSignedOut
	}

	next, err := s.exchange(ctx, t.Refresh)
	if err != nil && !errors.Is(err, ErrSignedOut) {
		return "", err
	}
	s.mu.Lock()
	s.tok = next
	s.mu.Unlock()
	if serr := s.save(next); serr != nil && err == nil {
		err = fmt.Errorf("apiauth: save token: %w", serr)
	}
	return next.Access, err
}

// exchange trades a refresh token for a new pair. It returns the zero token
// and ErrSignedOut if the provider refuses it for good.
func (s *Source) exchange(ctx context.Context, refresh string) (Token, error) {
	form := url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {refresh},
		"client_id":     {s.clientID},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := s.hc.Do(req)
	if err != nil {
		return Token{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusBadRequest:
		return Token{}, ErrSignedOut
	case resp.StatusCode != http.StatusOK:
		return Token{}, fmt.Errorf("apiauth: token endpoint: %s", resp.Status)
	}
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Seconds int64  `json:"expires_in"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return Token{}, fmt.Errorf("apiauth: token response: %w", err)
	}
	return Token{
		Access:  body.Access,
		Refresh: body.Refresh,
		Expiry:  time.Now().Add(time.Duration(body.Seconds) * time.Second),
	}, nil
}

// Transport adds the bearer token to outgoing requests.
type Transport struct {
	Base   http.RoundTripper
	Source *Source
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	tok, err := t.Source.Access(req.Context())
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+tok)
	return t.Base.RoundTrip(req)
}
