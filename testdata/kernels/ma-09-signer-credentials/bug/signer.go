// Package signing signs requests to the object store.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Signer adds an Authorization header to requests.
type Signer struct {
	creds  *Provider
	region string
}

// NewSigner returns a signer for a region.
func NewSigner(creds *Provider, region string) *Signer {
	return &Signer{creds: creds, region: region}
}

func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join(parts, "\n")))
	return h.Sum(nil)
}

// Sign signs the request in place.
func (s *Signer) Sign(req *http.Request, now time.Time) error {
	if req.URL.Host == "" {
		return fmt.Errorf("signing: request for %s has no host", req.URL.Path)
	}
	date := now.UTC().Format("20060102T150405Z")
	req.Header.Set("X-Date", date)

	scope := fmt.Sprintf("%s/%s/%s", s.creds.KeyID(), date[:8], s.region)
	if token := s.creds.Token(); token != "" {
		req.Header.Set("X-Security-Token", token)
	}
	key := mac([]byte(s.creds.Secret()), date[:8], s.region)
	sig := mac(key, req.Method, req.URL.EscapedPath(), req.URL.RawQuery, date)
	req.Header.Set("Authorization", fmt.Sprintf("HMAC %s:%s", scope, hex.EncodeToString(sig)))
	return nil
}

// RoundTripper signs each request before it goes out.
type RoundTripper struct {
	Signer *Signer
	Base   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	if err := t.Signer.Sign(out, time.Now()); err != nil {
		return nil, err
	}
	return t.Base.RoundTrip(out)
}
