package exec

import (
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

type credentials struct {
	token string
}

// Authenticator is a client credential provider that rotates credentials by executing a plugin.
// The plugin input and output are defined by the API group client.authentication.k8s.io.
type Authenticator struct {
	// runPlugin executes the plugin; Stubbable for testing
	runPlugin func() (token string, expires time.Time, err error)
	now       func() time.Time

	// closeAll closes the connections that use rotated credentials
	closeAll func()

	// Cached results.
	//
	// The mutex also guards calling the plugin. Since the plugin could be
	// interactive we want to make sure it's only called once.
	mu          sync.Mutex
	cachedCreds *credentials
	exp         time.Time
}

// NewAuthenticator returns an authenticator that calls the plugin.
func NewAuthenticator(runPlugin func() (string, time.Time, error), closeAll func()) *Authenticator {
	return &Authenticator{runPlugin: runPlugin, now: time.Now, closeAll: closeAll}
}

// Wrap adds the credentials to the requests of rt.
func (a *Authenticator) Wrap(rt http.RoundTripper) http.RoundTripper {
	return &roundTripper{a, rt}
}

type roundTripper struct {
	a    *Authenticator
	base http.RoundTripper
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	// If a user has already set credentials, use that. This makes commands like
	// "kubectl get --token (token) pods" work.
	if req.Header.Get("Authorization") != "" {
		return r.base.RoundTrip(req)
	}

	creds, err := r.a.getCreds()
	if err != nil {
		return nil, fmt.Errorf("getting credentials: %v", err)
	}
	if creds.token != "" {
		req.Header.Set("Authorization", "Bearer "+creds.token)
	}

	res, err := r.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized {
		if err := r.a.maybeRefreshCreds(creds); err != nil {
			log.Printf("refreshing credentials: %v", err)
		}
	}
	return res, nil
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

	// Since we're not making a new pointer to a.cachedCreds in getCreds, no
	// need to do deep comparison.
	if creds != a.cachedCreds {
		// Credentials already rotated.
		return nil
	}

	return a.refreshCredsLocked()
}

// refreshCredsLocked executes the plugin and reads the credentials from
// stdout. It must be called while holding the Authenticator's mutex.
func (a *Authenticator) refreshCredsLocked() error {
	token, expires, err := a.runPlugin()
	if err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	a.exp = expires

	newCreds := &credentials{token: token}
	oldCreds := a.cachedCreds
	a.cachedCreds = newCreds
	// Only close all connections when the credentials rotated. Token change
	// doesn't need that, but a new identity does.
	if oldCreds != nil && oldCreds.token != newCreds.token {
		a.closeAll()
	}
	return nil
}
