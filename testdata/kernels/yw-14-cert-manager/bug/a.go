// Package a issues and renews TLS certificates on demand.
package a

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrClosed is returned after the manager was closed.
var ErrClosed = errors.New("certs: manager closed")

const (
	renewBefore = 24 * time.Hour
	retryAfter  = 10 * time.Minute
	issueLimit  = time.Minute
)

// Issuer obtains a certificate from the CA.
type Issuer interface {
	Issue(ctx context.Context, host string) (*tls.Certificate, error)
}

// Manager keeps certificates and renews them by timer.
type Manager struct {
	ca  Issuer
	log *slog.Logger

	mu     sync.Mutex
	closed bool
	certs  map[string]*tls.Certificate
	timers map[string]*time.Timer
}

// NewManager returns a manager which asks ca for certificates.
func NewManager(ca Issuer, log *slog.Logger) *Manager {
	return &Manager{
		ca:     ca,
		log:    log,
		certs:  make(map[string]*tls.Certificate),
		timers: make(map[string]*time.Timer),
	}
}

// GetCertificate is meant for tls.Config.
func (m *Manager) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return m.Get(hello.Context(), hello.ServerName)
}

// Get returns the certificate of host.
func (m *Manager) Get(ctx context.Context, host string) (*tls.Certificate, error) {
	m.mu.Lock()
	c, closed := m.certs[host], m.closed
	m.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if c != nil {
		return c, nil
	}

	c, err := m.ca.Issue(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("issue %s: %w", host, err)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if cur := m.certs[host]; cur != nil {
		return cur, nil
	}
	m.certs[host] = c
	m.schedule(host, untilRenewal(c))
	return c, nil
}

// schedule is called with m.mu held.
func (m *Manager) schedule(host string, d time.Duration) {
	m.timers[host] = time.AfterFunc(d, func() { m.renew(host) })
}

func (m *Manager) renew(host string) {
	ctx, cancel := context.WithTimeout(context.Background(), issueLimit)
	defer cancel()
	c, err := m.ca.Issue(ctx, host)

	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if err != nil {
		m.log.Warn("renewal failed", "host", host, "err", err)
		m.schedule(host, retryAfter)
		return
	}
	m.certs[host] = c
	m.schedule(host, untilRenewal(c))
}

func untilRenewal(c *tls.Certificate) time.Duration {
	if c.Leaf == nil {
		return retryAfter
	}
	return max(time.Until(c.Leaf.NotAfter)-renewBefore, retryAfter)
}

// Close stops all renewals and forgets the keys.
func (m *Manager) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.closed = true
	for _, t := range m.timers {
		t.Stop()
	}
	m.certs, m.timers = nil, nil
	return nil
}
