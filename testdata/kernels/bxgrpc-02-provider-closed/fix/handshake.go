// Package fix performs handshakes with certificates of a control plane.
package fix

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/bxgrpc-02-provider-closed/fix/certprovider"
)

// Config is what one handshake needs.
type Config struct {
	Roots, Cert *certprovider.KeyMaterial
	Name        string
}

// HandshakeInfo wraps the security configuration of a cluster.
type HandshakeInfo struct {
	rootProvider     certprovider.Provider
	identityProvider certprovider.Provider
	sni              string

	mu   sync.Mutex
	refs int // the balancer holds one, each handshake another one
}

// acquire adds a reference unless the last one is gone.
func (hi *HandshakeInfo) acquire() bool {
	hi.mu.Lock()
	defer hi.mu.Unlock()
	if hi.refs == 0 {
		return false
	}
	hi.refs++
	return true
}

// release drops a reference; the last one closes the providers.
func (hi *HandshakeInfo) release() {
	hi.mu.Lock()
	hi.refs--
	last := hi.refs == 0
	hi.mu.Unlock()
	if !last {
		return
	}
	if hi.rootProvider != nil {
		hi.rootProvider.Close()
	}
	if hi.identityProvider != nil {
		hi.identityProvider.Close()
	}
}

// NewHandshakeInfo returns settings; both providers may be nil.
func NewHandshakeInfo(root, identity certprovider.Provider, sni string) *HandshakeInfo {
	return &HandshakeInfo{rootProvider: root, identityProvider: identity, sni: sni, refs: 1}
}

// UseFallbackCreds reports whether there is no security configuration.
func (hi *HandshakeInfo) UseFallbackCreds() bool {
	return hi.identityProvider == nil && hi.rootProvider == nil
}

// ClientSideConfig collects the key material. It may block.
func (hi *HandshakeInfo) ClientSideConfig(ctx context.Context) (*Config, error) {
	if hi.rootProvider == nil {
		return nil, errors.New("xds: provider of trusted roots is missing")
	}
	cfg := &Config{Name: hi.sni}
	km, err := hi.rootProvider.KeyMaterial(ctx)
	if err != nil {
		return nil, err
	}
	cfg.Roots = km
	if hi.identityProvider != nil {
		km, err := hi.identityProvider.KeyMaterial(ctx)
		if err != nil {
			return nil, err
		}
		cfg.Cert = km
	}
	return cfg, nil
}

// Handshaker runs the protocol.
type Handshaker interface {
	Handshake(ctx context.Context, c net.Conn, cfg *Config) (net.Conn, error)
}

type credsImpl struct {
	fallback, tls Handshaker
}

// ClientHandshake is called by the transport, once for each connection.
func (c *credsImpl) ClientHandshake(ctx context.Context, raw net.Conn, hiPtr *atomic.Pointer[HandshakeInfo]) (net.Conn, error) {
	hi := hiPtr.Load()
	for hi != nil && !hi.acquire() {
		hi = hiPtr.Load() // replaced meanwhile
	}
	if hi == nil {
		return c.fallback.Handshake(ctx, raw, nil)
	}
	defer hi.release()
	if hi.UseFallbackCreds() {
		return c.fallback.Handshake(ctx, raw, nil)
	}
	cfg, err := hi.ClientSideConfig(ctx)
	if err != nil {
		return nil, err
	}
	return c.tls.Handshake(ctx, raw, cfg)
}
