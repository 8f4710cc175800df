// Package account keeps the signed-in user of the command line client.
package account

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrSignedOut = errors.New("account: signed out")
	ErrChanged   = errors.New("account: the signed-in user has changed")
)

// Credentials are never modified after they were stored.
type Credentials struct {
	User    string
	Access  string
	Refresh string
	Expires time.Time
}

func (c *Credentials) fresh(now time.Time) bool {
	return now.Add(30 * time.Second).Before(c.Expires)
}

// Issuer talks to the identity provider.
type Issuer interface {
	Exchange(ctx context.Context, refresh string) (*Credentials, error)
	Revoke(ctx context.Context, refresh string) error
}

// Keyring persists the credentials between runs.
type Keyring interface {
	Save(*Credentials) error
	Erase() error
}

type Session struct {
	issuer Issuer
	ring   Keyring

	// renewMu makes sure that a refresh token is redeemed only once.
	renewMu sync.Mutex

	mu    sync.RWMutex
	creds *Credentials
}

func NewSession(issuer Issuer, ring Keyring, creds *Credentials) *Session {
	return &Session{issuer: issuer, ring: ring, creds: creds}
}

func (s *Session) current() *Credentials {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.creds
}

// SignIn replaces whoever is signed in.
func (s *Session) SignIn(c *Credentials) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.creds = c
	return s.ring.Save(c)
}

// SignOut forgets the credentials, here and in the keyring.
func (s *Session) SignOut(ctx context.Context) error {
	s.mu.Lock()
	old := s.creds
	s.creds = nil
	err := s.ring.Erase()
	s.mu.Unlock()
	if old == nil {
		return err
	}
	return errors.Join(err, s.issuer.Revoke(ctx, old.Refresh))
}

// Token returns an access token, renewing it when it is about to expire.
func (s *Session) Token(ctx context.Context) (string, error) {
	c := s.current()
	if c == nil {
		return "", ErrSignedOut
	}
	if c.fresh(time.Now()) {
		return c.Access, nil
	}
	c, err := s.renew(ctx)
	if err != nil {
		return "", err
	}
	return c.Access, nil
}

func (s *Session) renew(ctx context.Context) (*Credentials, error) {
	s.renewMu.Lock()
	defer s.renewMu.Unlock()

	cur := s.current()
	if cur == nil {
		return nil, ErrSignedOut
	}
	if cur.fresh(time.Now()) {
		return cur, nil
	}
	next, err := s.issuer.Exchange(ctx, cur.Refresh)
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.creds != cur {
		return nil, ErrChanged
	}
	s.creds = next
	if err := s.ring.Save(next); err != nil {
		return nil, err
	}
	return next, nil
}

// User is the name shown in the prompt.
func (s *Session) User() string {
	if c := s.current(); c != nil {
		return c.User
	}
	return ""
}
