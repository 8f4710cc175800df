// Package ok adds credentials of an external program to requests.
package ok

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os/exec"
	"reflect"
	"sync"
	"time"
)

type credentials struct {
	Token   string
	Cert    []byte
	Expires time.Time
}

// Authenticator runs the program when credentials are needed.
type Authenticator struct {
	cmd  string
	args []string
	now  func() time.Time

	// mu guards what follows and is held while the program runs, so that it
	// runs once only.
	mu           sync.Mutex
	cached       *credentials
	onRotateList []func()
}

// NewAuthenticator returns an authenticator that runs cmd.
func NewAuthenticator(cmd string, args ...string) *Authenticator {
	return &Authenticator{cmd: cmd, args: args, now: time.Now}
}

// Wrap adds credentials to the requests of base; closeAll is called when the
// certificate has changed.
func (a *Authenticator) Wrap(base http.RoundTripper, closeAll func()) http.RoundTripper {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.onRotateList = append(a.onRotateList, closeAll)
	return &roundTripper{a: a, base: base}
}

type roundTripper struct {
	a    *Authenticator
	base http.RoundTripper
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		return r.base.RoundTrip(req)
	}
	creds, err := r.a.getCreds()
	if err != nil {
		return nil, fmt.Errorf("getting credentials: %v", err)
	}
	if creds.Token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+creds.Token)
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

func (a *Authenticator) expired() bool {
	return !a.cached.Expires.IsZero() && a.now().After(a.cached.Expires)
}

func (a *Authenticator) getCreds() (*credentials, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cached != nil && !a.expired() {
		return a.cached, nil
	}
	if err := a.refreshLocked(); err != nil {
		return nil, err
	}
	return a.cached, nil
}

// maybeRefreshCreds replaces credentials that a server has refused, unless
// they were replaced already.
func (a *Authenticator) maybeRefreshCreds(creds *credentials) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if creds != a.cached {
		return nil
	}
	return a.refreshLocked()
}

// refreshLocked runs the program. The caller holds a.mu.
func (a *Authenticator) refreshLocked() error {
	out, err := exec.Command(a.cmd, a.args...).Output()
	if err != nil {
		return fmt.Errorf("running %s: %w", a.cmd, err)
	}
	next := new(credentials)
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(next); err != nil {
		return fmt.Errorf("decoding output of %s: %w", a.cmd, err)
	}
	old := a.cached
	a.cached = next
	if old != nil && !reflect.DeepEqual(old.Cert, next.Cert) {
		for _, f := range a.onRotateList {
			f()
		}
	}
	return nil
}

// Fetch gets all urls at the same time with the credentials of a.
func Fetch(a *Authenticator, urls []string) []error {
	client := &http.Client{Transport: a.Wrap(http.DefaultTransport, http.DefaultTransport.(*http.Transport).CloseIdleConnections)}
	errs := make([]error, len(urls))
	var wg sync.WaitGroup
	for i, u := range urls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			res, err := client.Get(u)
			if err == nil {
				err = res.Body.Close()
			}
			errs[i] = err
		}()
	}
	wg.Wait()
	return errs
}
