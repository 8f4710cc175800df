// Package docker talks to image registries.
package docker

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// NewHTTPFallback returns http.RoundTripper which allows fallback from https
// to http for registry endpoints with configurations for both http and TLS,
// such as defaulted localhost endpoints.
func NewHTTPFallback(transport http.RoundTripper) *httpFallback {
	return &httpFallback{super: transport, hosts: make(map[string]struct{})}
}

// httpFallback remembers the hosts that speak plain http. A host is never
// forgotten.
type httpFallback struct {
	super http.RoundTripper

	mu    sync.Mutex
	hosts map[string]struct{}

	retries atomic.Int64
}

func (f *httpFallback) fellBack(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.hosts[host]
	return ok
}

func (f *httpFallback) remember(host string) {
	f.mu.Lock()
	f.hosts[host] = struct{}{}
	f.mu.Unlock()
}

// RoundTrip implements http.RoundTripper.
func (f *httpFallback) RoundTrip(r *http.Request) (*http.Response, error) {
	fallback := f.fellBack(r.URL.Host)

	// only fall back if the same host had previously fell back
	if !fallback {
		resp, err := f.super.RoundTrip(r)
		if !isTLSError(err) && !isPortError(err, r.URL.Host) {
			return resp, err
		}
		f.retries.Add(1)
	}

	plainHTTPUrl := *r.URL
	plainHTTPUrl.Scheme = "http"

	plainHTTPRequest := *r
	plainHTTPRequest.URL = &plainHTTPUrl

	if !fallback {
		f.remember(r.URL.Host)

		// update body on the second attempt
		if r.Body != nil && r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			plainHTTPRequest.Body = body
		}
	}
	return f.super.RoundTrip(&plainHTTPRequest)
}

// Retries returns the number of requests that were made twice.
func (f *httpFallback) Retries() int64 { return f.retries.Load() }

func isTLSError(err error) bool {
	if err == nil {
		return false
	}
	var tlsErr tls.RecordHeaderError
	if errors.As(err, &tlsErr) && string(tlsErr.RecordHeader[:]) == "HTTP/" {
		return true
	}
	return strings.Contains(err.Error(), "TLS handshake timeout")
}

func isPortError(err error, host string) bool {
	if err == nil || strings.Contains(host, ":") {
		return false
	}
	return strings.Contains(err.Error(), "connection refused")
}

// Fetch reads a blob by means of the client.
func Fetch(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New("unexpected status " + resp.Status)
	}
	return io.ReadAll(resp.Body)
}
