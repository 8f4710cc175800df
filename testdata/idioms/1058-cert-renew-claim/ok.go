// Package certs keeps server certificates and renews them in the background.
package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"sync"
	"time"
)

// ErrNoCertificate is returned for a name that is not managed.
var ErrNoCertificate = errors.New("certs: no certificate for name")

// Issuer obtains a certificate from the authority.
type Issuer interface {
	Obtain(ctx context.Context, name string) (*Cert, error)
}

// Cert is a certificate with its life time. It is never changed.
type Cert struct {
	Pair      *tls.Certificate
	NotBefore time.Time
	NotAfter  time.Time
}

// due reports whether less than a third of the life time is left.
func (c *Cert) due(now time.Time) bool {
	life := c.NotAfter.Sub(c.NotBefore)
	return c.NotAfter.Sub(now) < life/3
}

// Manager serves certificates.
type Manager struct {
	issuer  Issuer
	timeout time.Duration

	mu       sync.RWMutex
	certs    map[string]*Cert
	renewing map[string]bool
}

// NewManager returns a manager without certificates.
func NewManager(issuer Issuer, timeout time.Duration) *Manager {
	return &Manager{
		issuer:   issuer,
		timeout:  timeout,
		certs:    make(map[string]*Cert),
		renewing: make(map[string]bool),
	}
}

func (m *Manager) lookup(name string) *Cert {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.certs[name]
}

// store keeps the certificate unless there is one that lives longer.
func (m *Manager) store(name string, c *Cert) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cur := m.certs[name]; cur != nil && cur.NotAfter.After(c.NotAfter) {
		return
	}
	m.certs[name] = c
}

// Import adds a certificate, for instance one that another instance of the
// cluster has put into the shared storage.
func (m *Manager) Import(name string, c *Cert) {
	m.store(strings.ToLower(name), c)
}

// GetCertificate is for tls.Config.
func (m *Manager) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	c := m.lookup(name)
	if c == nil {
		return nil, ErrNoCertificate
	}
	if c.due(time.Now()) && m.begin(name) {
		go m.renew(name)
	}
	return c.Pair, nil
}

// begin claims the renewal of a name. The owner calls renew.
func (m *Manager) begin(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.certs[name]
	if m.renewing[name] || c == nil || !c.due(time.Now()) {
		return false
	}
	m.renewing[name] = true
	return true
}

func (m *Manager) end(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.renewing, name)
}

func (m *Manager) renew(name string) {
	defer m.end(name)
	ctx, cancel := context.WithTimeout(context.Background(), m.timeout)
	defer cancel()
	c, err := m.issuer.Obtain(ctx, name)
	if err != nil {
		// The next handshake tries again.
		return
	}
	m.store(name, c)
}

// Expiring returns the names that are due.
func (m *Manager) Expiring(now time.Time) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var names []string
	for n, c := range m.certs {
		if c.due(now) {
			names = append(names, n)
		}
	}
	return names
}
