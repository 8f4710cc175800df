// Package apitoken supplies the access tokens with which the sync daemon calls
// the partner API. A token lives for some minutes and is renewed with a refresh
// token, which the partner replaces at each renewal.
package apitoken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrRejected is returned when the partner does not take the refresh token;
// somebody has to log in again.
var ErrRejected = errors.New("apitoken: refresh token rejected")

// Grant is the answer to a renewal. The partner allows one valid access token
// per client: a renewal ends the token that was issued before.
type Grant struct {
	Access  string        `json:"access_token"`
	Refresh string        `json:"refresh_token"`
	TTL     time.Duration `json:"-"`
	Seconds int64         `json:"expires_in"`
}

// Exchanger renews tokens.
type Exchanger interface {
	Exchange(ctx context.Context, refresh string) (Grant, error)
}

// Endpoint is the Exchanger for the partner's token endpoint.
type Endpoint struct {
	URL      string
	ClientID string
	Client   *http.Client
}

// Exchange implements Exchanger.
func (e *Endpoint) Exchange(ctx context.Context, refresh string) (Grant, error) {
	form := url.Values{
		"grant_type":    {"refresh_token"},
		"client_id":     {e.ClientID},
		"refresh_token": {refresh},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return Grant{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := e.Client.Do(req)
	if err != nil {
		return Grant{}, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusUnauthorized:
		return Grant{}, ErrRejected
	default:
		return Grant{}, fmt.Errorf("apitoken: %s", resp.Status)
	}
	var g Grant
	if err := json.NewDecoder(resp.Body).Decode(&g); err != nil {
		return Grant{}, fmt.Errorf("apitoken: %w", err)
	}
	g.TTL = time.Duration(g.Seconds) * time.Second
	return g, nil
}

// Source hands out the current access token and renews it when needed. Its
// methods may be called by any number of goroutines.
type Source struct {
	ex     Exchanger
	margin time.Duration

	// sem holds one token while somebody uses the fields below. It is a
	// channel so that waiting ends with the caller's context.
	sem     chan struct{}
	access  string
	refresh string
	expires time.Time
}

// NewSource returns a source that starts from a refresh token. Tokens are
// renewed margin before they end.
func NewSource(ex Exchanger, refresh string, margin time.Duration) *Source {
	return &Source{ex: ex, margin: margin, sem: make(chan struct{}, 1), refresh: refresh}
}

func (s *Source) lock(ctx context.Context) error {
	select {
	case s.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Source) unlock() { <-s.sem }

// fresh tells whether the access token can be used; the lock is held.
func (s *Source) fresh() bool {
	return s.access != "" && time.Until(s.expires) > s.margin
}

// Token returns an access token that is good for a request now.
func (s *Source) Token(ctx context.Context) (string, error) {
	access, ok, err := s.cached(ctx)
	if err != nil || ok {
		return access, err
	}
	return s.renew(ctx)
}

// cached returns the token at hand if it is still good.
func (s *Source) cached(ctx context.Context) (string, bool, error) {
	if err := s.lock(ctx); err != nil {
		return "", false, err
	}
	defer s.unlock()
	return s.access, s.fresh(), nil
}

// renew gets a new access token from the partner.
func (s *Source) renew(ctx context.Context) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	g, err := s.ex.Exchange(ctx, s.refresh)
	if err != nil {
		return "", err
	}
	s.access, s.refresh = g.Access, g.Refresh
	s.expires = time.Now().Add(g.TTL)
	return s.access, nil
}

// Reject is called with a token the API did not accept. The next Token call
// renews it.
func (s *Source) Reject(ctx context.Context, access string) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if s.access == access {
		s.access = ""
	}
	return nil
}

// Authorize puts the token into the request.
func (s *Source) Authorize(req *http.Request) error {
	access, err := s.Token(req.Context())
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+access)
	return nil
}
