// Package fix serves the two halves of a browser sign-on.
package fix

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-01-oidc-cache/fix/handshake"
)

// Exchanger trades an authorization code for the name of the user.
type Exchanger func(code string) (string, error)

// Endpoint answers sign-on calls. Its methods may be called concurrently.
type Endpoint struct {
	issuer   string
	exchange Exchanger
	pending  *handshake.Pending
	issued   atomic.Int64
}

// NewEndpoint returns an endpoint for one identity provider.
func NewEndpoint(issuer string, exchange Exchanger) *Endpoint {
	return &Endpoint{
		issuer:   issuer,
		exchange: exchange,
		pending:  handshake.NewPending(5 * time.Minute),
	}
}

// Begin starts a sign-on, or resumes the one with the same nonce, and
// returns the address to send the browser to.
func (e *Endpoint) Begin(nonce, redirect string) (string, error) {
	if nonce == "" || redirect == "" {
		return "", errors.New("nonce and redirect are required")
	}

	attempt, err := e.pending.LookupOrAdd(nonce, func() (*handshake.Attempt, error) {
		return newAttempt(nonce, redirect)
	})
	if err != nil {
		return "", err
	}

	q := url.Values{"state": {attempt.State}, "redirect_uri": {attempt.Redirect}}
	return e.issuer + "/authorize?" + q.Encode(), nil
}

// Finish ends a sign-on and returns a session token.
func (e *Endpoint) Finish(nonce, state, code string) (string, error) {
	attempt := e.pending.Claim(nonce)
	if attempt == nil {
		return "", errors.New("no sign-on attempt for this nonce")
	}
	if subtle.ConstantTimeCompare([]byte(attempt.State), []byte(state)) != 1 {
		return "", errors.New("state mismatch")
	}
	user, err := e.exchange(code)
	if err != nil {
		return "", fmt.Errorf("code exchange: %w", err)
	}
	n := e.issued.Add(1)
	return fmt.Sprintf("%s-%d-%s", user, n, rand.Text()), nil
}

// Issued returns how many sessions were handed out.
func (e *Endpoint) Issued() int64 { return e.issued.Load() }

func newAttempt(nonce, redirect string) (*handshake.Attempt, error) {
	if _, err := url.Parse(redirect); err != nil {
		return nil, fmt.Errorf("redirect: %w", err)
	}
	return &handshake.Attempt{Nonce: nonce, State: rand.Text(), Redirect: redirect}, nil
}
