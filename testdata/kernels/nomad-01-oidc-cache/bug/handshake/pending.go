// Package handshake keeps single sign-on attempts that wait for the browser
// to return from the identity provider.
package handshake

import (
	"errors"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-01-oidc-cache/bug/expmap"
)

const maxPending = 512

var (
	// ErrNonceSeen means that an attempt with this nonce is already pending.
	ErrNonceSeen = errors.New("handshake: nonce already pending")
	// ErrBusy means that too many attempts are pending.
	ErrBusy = errors.New("handshake: too many pending attempts")
)

// Attempt is the server half of one sign-on. It does not change once created.
type Attempt struct {
	Nonce    string
	State    string
	Redirect string
}

// Pending stores attempts by nonce.
type Pending struct {
	attempts *expmap.Map[string, *Attempt]
}

// NewPending returns a store that forgets an attempt after ttl.
func NewPending(ttl time.Duration) *Pending {
	return &Pending{attempts: expmap.New[string, *Attempt](maxPending, ttl)}
}

// Save records a new attempt.
func (p *Pending) Save(a *Attempt) error {
	if p.attempts.Len() >= maxPending {
		return ErrBusy
	}
	if _, ok := p.attempts.Get(a.Nonce); ok {
		return ErrNonceSeen
	}
	p.attempts.Put(a.Nonce, a)
	return nil
}

// Lookup returns the attempt for nonce, or nil.
func (p *Pending) Lookup(nonce string) *Attempt {
	if a, ok := p.attempts.Get(nonce); ok {
		return a
	}
	return nil
}

// Claim returns the attempt for nonce, or nil, and forgets it: an attempt can
// be completed once.
func (p *Pending) Claim(nonce string) *Attempt {
	if a, ok := p.attempts.Get(nonce); ok {
		p.attempts.Delete(nonce)
		return a
	}
	return nil
}
