// Package bug secures connections with certificates from a control plane.
package bug

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errProviderClosed = errors.New("provider instance is closed")

// KeyMaterial wraps the certificates and keys returned by a Provider.
type KeyMaterial struct {
	Certs []tls.Certificate
	Roots *x509.CertPool
}

// Provider makes it possible to keep channel credential implementations up to
// date with secrets.
type Provider interface {
	KeyMaterial(ctx context.Context) (*KeyMaterial, error)
	Close()
}

// fileProvider is a Provider.
type fileProvider struct {
	mu     sync.Mutex
	km     *KeyMaterial
	closed bool
}

func (p *fileProvider) KeyMaterial(ctx context.Context) (*KeyMaterial, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errProviderClosed
	}
	return p.km, nil
}

func (p *fileProvider) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// HandshakeInfo wraps the security configuration. Its fields never change.
type HandshakeInfo struct {
	rootProvider     Provider
	identityProvider Provider
	sni              string
}

// HandshakeInfoPtr is shared by the balancer and the transports.
type HandshakeInfoPtr = atomic.Pointer[HandshakeInfo]

// ClientSideTLSConfig constructs a tls.Config to be used in a client-side
// handshake based on the contents of the HandshakeInfo.
func (hi *HandshakeInfo) ClientSideTLSConfig(ctx context.Context) (*tls.Config, error) {
	if hi.rootProvider == nil {
		return nil, errors.New("xds: CertificateProvider to fetch trusted roots is missing")
	}
	cfg := &tls.Config{ServerName: hi.sni, NextProtos: []string{"h2"}}
	km, err := hi.rootProvider.KeyMaterial(ctx)
	if err != nil {
		return nil, fmt.Errorf("xds: fetching trusted roots failed: %v", err)
	}
	cfg.RootCAs = km.Roots
	if hi.identityProvider != nil {
		km, err := hi.identityProvider.KeyMaterial(ctx)
		if err != nil {
			return nil, fmt.Errorf("xds: fetching identity certificates failed: %v", err)
		}
		cfg.Certificates = km.Certs
	}
	return cfg, nil
}

// credsImpl makes handshakes, on the goroutines of the connections.
type credsImpl struct {
	handshake func(ctx context.Context, cfg *tls.Config) error
}

// ClientHandshake secures one connection.
func (c *credsImpl) ClientHandshake(ctx context.Context, hiPtr *HandshakeInfoPtr) error {
	hi := hiPtr.Load()
	if hi == nil {
		return errors.New("xds: connection closed")
	}
	cfg, err := hi.ClientSideTLSConfig(ctx)
	if err != nil {
		return err
	}
	return c.handshake(ctx, cfg)
}

// SecurityConfig comes from the control plane.
type SecurityConfig struct {
	Root, Identity *KeyMaterial
	SNI            string
}

// clusterImplBalancer handles configurations, one after another.
type clusterImplBalancer struct {
	xdsHIPtr HandshakeInfoPtr

	// The certificate providers are cached here so that they can be closed
	// when a new provider is to be created.
	cachedRoot     Provider
	cachedIdentity Provider
}

func (b *clusterImplBalancer) handleSecurityConfig(config *SecurityConfig) {
	var rootProvider, identityProvider Provider
	rootProvider = &fileProvider{km: config.Root}
	if config.Identity != nil {
		identityProvider = &fileProvider{km: config.Identity}
	}

	// Close the old providers and cache the new ones.
	if b.cachedRoot != nil {
		b.cachedRoot.Close()
	}
	if b.cachedIdentity != nil {
		b.cachedIdentity.Close()
	}
	b.cachedRoot = rootProvider
	b.cachedIdentity = identityProvider

	b.xdsHIPtr.Store(&HandshakeInfo{rootProvider: rootProvider, identityProvider: identityProvider, sni: config.SNI})
}
