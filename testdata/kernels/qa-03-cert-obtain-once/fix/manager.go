// Package autocert obtains certificates on demand during TLS handshakes.
package autocert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Issuer talks to a certificate authority.
type Issuer interface {
	Issue(ctx context.Context, name string) (*tls.Certificate, error)
}

// Policy decides which names are served.
type Policy func(ctx context.Context, name string) error

// ErrNoName is returned to clients that do not send SNI.
var ErrNoName = errors.New("autocert: no server name")

// Managers of one process share the account with the CA, so they share the
// certificates and the orders in progress as well.
var (
	certsMu sync.RWMutex
	certs   = map[string]*tls.Certificate{}

	ordersMu sync.Mutex
	orders   = map[string]chan struct{}{}
)

// Manager implements tls.Config.GetCertificate.
type Manager struct {
	issuer Issuer
	policy Policy
	window time.Duration
	log    *slog.Logger
}

// NewManager returns a Manager that renews certificates when less than window
// of their life is left.
func NewManager(issuer Issuer, policy Policy, window time.Duration, log *slog.Logger) *Manager {
	return &Manager{issuer: issuer, policy: policy, window: window, log: log}
}

// TLSConfig returns a config for a listener.
func (m *Manager) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return m.Certificate(hello.Context(), hello.ServerName)
		},
	}
}

// Certificate returns the certificate of a name; it is ordered if there is
// none or if the one there is runs out.
func (m *Manager) Certificate(ctx context.Context, sni string) (*tls.Certificate, error) {
	name := strings.TrimSuffix(strings.ToLower(sni), ".")
	if name == "" {
		return nil, ErrNoName
	}
	if crt, ok := cached(name); ok && !m.due(crt) {
		return crt, nil
	}
	return m.obtain(ctx, name)
}

func cached(name string) (*tls.Certificate, bool) {
	certsMu.RLock()
	defer certsMu.RUnlock()
	crt, ok := certs[name]
	return crt, ok
}

func remember(name string, crt *tls.Certificate) {
	certsMu.Lock()
	defer certsMu.Unlock()
	certs[name] = crt
}

func (m *Manager) due(crt *tls.Certificate) bool {
	return crt.Leaf != nil && time.Until(crt.Leaf.NotAfter) < m.window
}

func (m *Manager) obtain(ctx context.Context, name string) (*tls.Certificate, error) {
	ordersMu.Lock()
	if wait, ok := orders[name]; ok {
		ordersMu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if crt, ok := cached(name); ok {
			return crt, nil
		}
		return nil, fmt.Errorf("autocert: order for %s failed", name)
	}
	wait := make(chan struct{})
	orders[name] = wait
	ordersMu.Unlock()

	defer func() {
		ordersMu.Lock()
		delete(orders, name)
		ordersMu.Unlock()
		close(wait)
	}()

	if err := m.policy(ctx, name); err != nil {
		return nil, fmt.Errorf("autocert: %s not allowed: %w", name, err)
	}
	if crt, ok := cached(name); ok && !m.due(crt) {
		return crt, nil
	}
	crt, err := m.issuer.Issue(ctx, name)
	if err != nil {
		m.log.Error("order failed", "name", name, "err", err)
		return nil, fmt.Errorf("autocert: issue %s: %w", name, err)
	}
	remember(name, crt)
	m.log.Info("certificate obtained", "name", name)
	return crt, nil
}
