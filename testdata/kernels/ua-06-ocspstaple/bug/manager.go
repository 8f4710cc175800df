// Package certs keeps the serving certificate of a TLS listener fresh.
package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// ErrNotReady is returned to handshakes before the first certificate arrived.
var ErrNotReady = errors.New("certs: no certificate yet")

// Issuer obtains certificates and the revocation status for them.
type Issuer interface {
	Issue(ctx context.Context, domain string) (*tls.Certificate, error)
	Staple(ctx context.Context, cert *tls.Certificate) ([]byte, error)
}

// Manager serves the current certificate of a domain.
type Manager struct {
	domain string
	issuer Issuer

	cert   atomic.Pointer[tls.Certificate]
	staple atomic.Pointer[[]byte]
}

// NewManager returns a manager; Run must be started for it to have a
// certificate.
func NewManager(domain string, issuer Issuer) *Manager {
	return &Manager{domain: domain, issuer: issuer}
}

// TLSConfig returns a configuration that uses the manager.
func (m *Manager) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: m.GetCertificate,
	}
}

// GetCertificate implements the callback of tls.Config.
func (m *Manager) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	cert := m.cert.Load()
	if cert == nil {
		return nil, ErrNotReady
	}
	out := *cert
	if s := m.staple.Load(); s != nil {
		out.OCSPStaple = *s
	}
	return &out, nil
}

func (m *Manager) install(cert *tls.Certificate, staple []byte) {
	m.cert.Store(cert)
	m.staple.Store(&staple)
}

// Run keeps certificate and staple fresh until ctx ends.
func (m *Manager) Run(ctx context.Context, every time.Duration) error {
	cert, err := m.renew(ctx)
	if err != nil {
		return err
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-t.C:
			if !due(cert, now) {
				if err := m.restaple(ctx, cert); err != nil {
					slog.Warn("staple not refreshed", "domain", m.domain, "err", err)
				}
				continue
			}
			next, err := m.renew(ctx)
			if err != nil {
				slog.Warn("certificate not renewed", "domain", m.domain, "err", err)
				continue
			}
			cert = next
		}
	}
}

func (m *Manager) renew(ctx context.Context) (*tls.Certificate, error) {
	cert, err := m.issuer.Issue(ctx, m.domain)
	if err != nil {
		return nil, fmt.Errorf("certs: issue %s: %w", m.domain, err)
	}
	staple, err := m.issuer.Staple(ctx, cert)
	if err != nil {
		return nil, fmt.Errorf("certs: staple %s: %w", m.domain, err)
	}
	m.install(cert, staple)
	return cert, nil
}

func (m *Manager) restaple(ctx context.Context, cert *tls.Certificate) error {
	staple, err := m.issuer.Staple(ctx, cert)
	if err != nil {
		return err
	}
	m.install(cert, staple)
	return nil
}

// due reports whether less than a third of the lifetime is left.
func due(cert *tls.Certificate, now time.Time) bool {
	if cert.Leaf == nil {
		return true
	}
	life := cert.Leaf.NotAfter.Sub(cert.Leaf.NotBefore)
	return cert.Leaf.NotAfter.Sub(now) < life/3
}
