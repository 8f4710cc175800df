// Package creds caches the short-lived credential a service uses towards its
// storage backend.
package creds

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Credential is a bearer token and the time it ends.
type Credential struct {
	Token   string
	Expires time.Time
}

// Issuer issues credentials. It allows few calls per hour. A credential stays
// good until it ends, whatever is issued after it.
type Issuer interface {
	Issue(ctx context.Context) (Credential, error)
}

// ErrNoCredential is returned by Peek before the first credential.
var ErrNoCredential = errors.New("creds: none yet")

// Source hands out the current credential. It is safe for concurrent use.
type Source struct {
	issuer Issuer
	margin time.Duration
	now    func() time.Time

	renewal chan struct{} // filled while a renewal is under way

	mu      sync.RWMutex
	current Credential
	issued  int
}

// New returns a source that renews a credential margin before it ends.
func New(issuer Issuer, margin time.Duration) *Source {
	return &Source{
		issuer:  issuer,
		margin:  margin,
		now:     time.Now,
		renewal: make(chan struct{}, 1),
	}
}

func (s *Source) load() Credential {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.current
}

func (s *Source) store(c Credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = c
	s.issued++
}

func (s *Source) fresh(c Credential) bool {
	return c.Token != "" && s.now().Add(s.margin).Before(c.Expires)
}

// Get returns a credential that is good for margin at least.
func (s *Source) Get(ctx context.Context) (Credential, error) {
	if c := s.load(); s.fresh(c) {
		return c, nil
	}
	return s.renew(ctx)
}

// renew obtains a credential unless somebody else has just done so.
func (s *Source) renew(ctx context.Context) (Credential, error) {
	select {
	case s.renewal <- struct{}{}:
	case <-ctx.Done():
		return Credential{}, ctx.Err()
	}
	defer func() { <-s.renewal }()

	if c := s.load(); s.fresh(c) {
		return c, nil
	}
	c, err := s.issuer.Issue(ctx)
	if err != nil {
		return Credential{}, err
	}
	s.store(c)
	return c, nil
}

// Peek returns the last credential, good or not.
func (s *Source) Peek() (Credential, error) {
	c := s.load()
	if c.Token == "" {
		return c, ErrNoCredential
	}
	return c, nil
}

// Issued returns how many credentials have been obtained.
func (s *Source) Issued() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.issued
}

// Transport adds the credential to requests.
type Transport struct {
	Base   http.RoundTripper
	Source *Source
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := t.Source.Get(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.Token)
	return t.Base.RoundTrip(r)
}
