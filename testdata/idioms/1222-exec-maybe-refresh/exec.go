package exec

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"sync"
	"time"
)

// ExecCredential is what a plugin prints.
type ExecCredential struct {
	Status *struct {
		ExpirationTimestamp   *time.Time
		Token                 string
		ClientCertificateData string
		ClientKeyData         string
	}
}

// Authenticator is a client credential provider that rotates credentials by executing a plugin.
// The plugin input and output are defined by the API group client.authentication.k8s.io.
type Authenticator struct {
	// Set by the config
	cmd  string
	args []string
	env  []string

	// Stubbable for testing
	stderr  io.Writer
	now     func() time.Time
	environ func() []string

	// connTracker tracks all connections opened that we need to close when rotating a client certificate
	connTracker interface{ CloseAll() }

	// Cached results.
	//
	// The mutex also guards calling the plugin. Since the plugin could be
	// interactive we want to make sure it's only called once.
	mu          sync.Mutex
	cachedCreds *credentials
	exp         time.Time
}

type credentials struct {
	token string
	cert  *tls.Certificate
}

func newAuthenticator(cmd string, args, env []string, tracker interface{ CloseAll() }) *Authenticator {
	return &Authenticator{
		cmd:         cmd,
		args:        args,
		env:         env,
		stderr:      os.Stderr,
		now:         time.Now,
		environ:     os.Environ,
		connTracker: tracker,
	}
}

// WrapTransport returns a transport that adds the credentials of the plugin.
func (a *Authenticator) WrapTransport(base http.RoundTripper) http.RoundTripper {
	return &roundTripper{a, base}
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

func (a *Authenticator) cert() (*tls.Certificate, error) {
	creds, err := a.getCreds()
	if err != nil {
		return nil, err
	}
	return creds.cert, nil
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
	stdout := &bytes.Buffer{}
	cmd := exec.Command(a.cmd, a.args...)
	cmd.Env = append(a.environ(), a.env...)
	cmd.Stderr = a.stderr
	cmd.Stdout = stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("exec: %v", err)
	}

	cred := &ExecCredential{}
	if err := json.Unmarshal(stdout.Bytes(), cred); err != nil {
		return fmt.Errorf("decoding stdout: %v", err)
	}
	if cred.Status == nil {
		return errors.New("exec plugin didn't return a status field")
	}
	if cred.Status.Token == "" && cred.Status.ClientCertificateData == "" {
		return errors.New("exec plugin didn't return a token or cert/key pair")
	}

	if cred.Status.ExpirationTimestamp != nil {
		a.exp = *cred.Status.ExpirationTimestamp
	} else {
		a.exp = time.Time{}
	}

	newCreds := &credentials{
		token: cred.Status.Token,
	}
	if cred.Status.ClientKeyData != "" && cred.Status.ClientCertificateData != "" {
		cert, err := tls.X509KeyPair([]byte(cred.Status.ClientCertificateData), []byte(cred.Status.ClientKeyData))
		if err != nil {
			return fmt.Errorf("failed parsing client key/certificate: %v", err)
		}
		newCreds.cert = &cert
	}

	oldCreds := a.cachedCreds
	a.cachedCreds = newCreds
	// Only close all connections when TLS cert rotates. Token rotation doesn't
	// need the extra noise.
	if oldCreds != nil && !reflect.DeepEqual(oldCreds.cert, a.cachedCreds.cert) {
		a.connTracker.CloseAll()
	}
	return nil
}
