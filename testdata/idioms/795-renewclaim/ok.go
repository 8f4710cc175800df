// Package renewer keeps the certificates of many domains fresh.
package renewer

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"time"
)

var (
	// ErrUnknown is returned for domains that are not managed.
	ErrUnknown = errors.New("renewer: unknown domain")
	// ErrBusy is returned while a renewal of the domain is running.
	ErrBusy = errors.New("renewer: renewal in progress")
)

// Issuer orders certificates. Orders are rate limited by the authority.
type Issuer interface {
	Order(ctx context.Context, domain string) (*tls.Certificate, time.Time, error)
}

type entry struct {
	cert     *tls.Certificate
	notAfter time.Time
	retryAt  time.Time
	renewing bool
}

// Renewer manages certificates.
type Renewer struct {
	issuer Issuer
	margin time.Duration

	mu      sync.Mutex
	entries map[string]*entry
}

// New returns a renewer that renews certificates margin before they expire.
func New(issuer Issuer, margin time.Duration, domains ...string) *Renewer {
	r := &Renewer{issuer: issuer, margin: margin, entries: make(map[string]*entry)}
	for _, d := range domains {
		r.entries[d] = new(entry)
	}
	return r
}

// GetCertificate implements the callback of tls.Config.
func (r *Renewer) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[hello.ServerName]
	if !ok || e.cert == nil {
		return nil, ErrUnknown
	}
	return e.cert, nil
}

// Renew orders a new certificate for domain now.
func (r *Renewer) Renew(ctx context.Context, domain string) error {
	r.mu.Lock()
	e, ok := r.entries[domain]
	if !ok {
		r.mu.Unlock()
		return ErrUnknown
	}
	if e.renewing {
		r.mu.Unlock()
		return ErrBusy
	}
	e.renewing = true
	r.mu.Unlock()
	return r.order(ctx, domain, e)
}

func (r *Renewer) order(ctx context.Context, domain string, e *entry) error {
	cert, notAfter, err := r.issuer.Order(ctx, domain)
	r.mu.Lock()
	defer r.mu.Unlock()
	e.renewing = false
	if err != nil {
		e.retryAt = time.Now().Add(time.Minute)
		return err
	}
	e.cert, e.notAfter = cert, notAfter
	return nil
}

// sweep starts a renewal for every domain that needs one.
func (r *Renewer) sweep(ctx context.Context, now time.Time, wg *sync.WaitGroup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for domain, e := range r.entries {
		if e.renewing || now.Before(e.retryAt) || e.notAfter.Sub(now) > r.margin {
			continue
		}
		e.renewing = true
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := r.order(ctx, domain, e); err != nil {
				slog.Warn("renewal failed", "domain", domain, "err", err)
			}
		}()
	}
}

// Run renews certificates in the background until ctx ends.
func (r *Renewer) Run(ctx context.Context, every time.Duration) {
	var wg sync.WaitGroup
	defer wg.Wait()
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		r.sweep(ctx, time.Now(), &wg)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
