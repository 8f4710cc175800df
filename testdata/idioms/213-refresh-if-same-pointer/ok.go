// Package ok authenticates requests with the output of a command.
package ok

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// credentials are never changed after they were made.
type credentials struct {
	token string
}

// Authenticator is a client credential provider that rotates credentials by
// executing a plugin.
type Authenticator struct {
	exec func() (token string, expiry time.Time, err error)
	now  func() time.Time

	// Cached results.
	//
	// The mutex also guards calling the plugin. Since the plugin could be
	// interactive we want to make sure it's only called once.
	mu          sync.Mutex
	cachedCreds *credentials
	exp         time.Time
}

// New returns an authenticator without credentials.
func New(exec func() (string, time.Time, error)) *Authenticator {
	return &Authenticator{exec: exec, now: time.Now}
}

func (a *Authenticator) credsExpired() bool {
	if a.exp.IsZero() {
		return false
	}
	return a.now().After(a.exp)
}

func (a *Authenticator) getCreds() (*credentials, error) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.cachedCreds != nil && !a.credsExpired() {
		return a.cachedCreds, nil
	}

	if err := a.refreshCredsLocked(); err != nil {
		return nil, err
	}

	return a.cachedCreds, nil
}

// maybeRefreshCreds executes the plugin to force a rotation of the
// credentials, unless they were rotated already.
func (a *Authenticator) maybeRefreshCreds(creds *credentials) error {
	a.mu.Lock()
	defer a.mu.Unlock()

	// Since we're not making a new call to lockedExec, check that the
	// credentials are the ones that were used.
	if creds != a.cachedCreds {
		return nil
	}

	return a.refreshCredsLocked()
}

// refreshCredsLocked executes the plugin and reads the credentials from
// stdout. It must be called while holding the Authenticator's mutex.
func (a *Authenticator) refreshCredsLocked() error {
	token, expiry, err := a.exec()
	if err != nil {
		return fmt.Errorf("exec plugin: %w", err)
	}
	if token == "" {
		return errors.New("exec plugin didn't return a token")
	}
	a.exp = expiry
	a.cachedCreds = &credentials{token: token}
	return nil
}

// WrapTransport instruments an existing http.RoundTripper with credentials
// returned by the plugin.
func (a *Authenticator) WrapTransport(rt http.RoundTripper) http.RoundTripper {
	return &roundTripper{a, rt}
}

type roundTripper struct {
	a    *Authenticator
	base http.RoundTripper
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	// If a user has already set credentials, use that.
	if req.Header.Get("Authorization") != "" {
		return r.base.RoundTrip(req)
	}

	creds, err := r.a.getCreds()
	if err != nil {
		return nil, fmt.Errorf("getting credentials: %v", err)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+creds.token)

	res, err := r.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized {
		if err := r.a.maybeRefreshCreds(creds); err != nil {
			fmt.Printf("refreshing credentials: %v\n", err)
		}
	}
	return res, nil
}
