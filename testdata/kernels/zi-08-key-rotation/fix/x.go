// Package signing signs the requests that a proxy sends to its object store.
package signing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Keys is an access key with its secret.
type Keys struct {
	ID     string
	Secret string
}

// Provider holds the current keys. They are rotated while requests are in
// flight.
type Provider struct {
	fetch func(context.Context) (Keys, error)

	mu   sync.RWMutex
	keys Keys
}

func NewProvider(ctx context.Context, fetch func(context.Context) (Keys, error)) (*Provider, error) {
	k, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	return &Provider{fetch: fetch, keys: k}, nil
}

// Current returns the keys to sign with.
func (p *Provider) Current() Keys {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.keys
}

// Rotate fetches new keys every interval until the context ends.
func (p *Provider) Rotate(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		k, err := p.fetch(ctx)
		if err != nil {
			log.Printf("signing: keeping the old keys: %v", err)
			continue
		}
		p.mu.Lock()
		p.keys = k
		p.mu.Unlock()
	}
}

// Signer adds the Authorization header.
type Signer struct {
	provider *Provider
	region   string
}

func NewSigner(p *Provider, region string) *Signer {
	return &Signer{provider: p, region: region}
}

func (s *Signer) scope(k Keys, day string) string {
	return strings.Join([]string{k.ID, day, s.region}, "/")
}

func (s *Signer) signature(k Keys, day, text string) string {
	key := sum([]byte(k.Secret), day)
	key = sum(key, s.region)
	return hex.EncodeToString(sum(key, text))
}

func sum(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// Sign signs method, path and date of the request.
func (s *Signer) Sign(r *http.Request, now time.Time) {
	keys := s.provider.Current()
	now = now.UTC()
	date := now.Format("20060102T150405Z")
	day := date[:8]
	text := r.Method + "\n" + r.URL.EscapedPath() + "\n" + date
	r.Header.Set("X-Date", date)
	r.Header.Set("Authorization", fmt.Sprintf("HMAC-SHA256 Credential=%s, Signature=%s",
		s.scope(keys, day), s.signature(keys, day, text)))
}

// Transport signs what goes through it.
type Transport struct {
	Signer *Signer
	Base   http.RoundTripper
}

func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	t.Signer.Sign(r, time.Now())
	return t.Base.RoundTrip(r)
}
