// Package fix secures connections with certificates from a control plane.
package fix

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

// RefCounted holds a value until the last reference is given back.
type RefCounted[T any] struct {
	refCount atomic.Int64
	val      T
	onZero   func()
}

// NewRefCounted returns a value with one reference.
func NewRefCounted[T any](val T, onZero func()) *RefCounted[T] {
	rc := &RefCounted[T]{val: val, onZero: onZero}
	rc.refCount.Store(1)
	return rc
}

// TryIncrement takes a reference unless the value is dead.
func (rc *RefCounted[T]) TryIncrement() bool {
	for {
		count := rc.refCount.Load()
		if count <= 0 {
			return false // Already dead or dying
		}
		if rc.refCount.CompareAndSwap(count, count+1) {
			return true
		}
	}
}

// Decrement gives a reference back.
func (rc *RefCounted[T]) Decrement() {
	if rc.refCount.Add(-1) == 0 {
		rc.onZero()
	}
}

// HandshakeInfo wraps the security configuration. Its fields never change.
type HandshakeInfo struct {
	rootProvider     Provider
	identityProvider Provider
	sni              string
}

// HandshakeInfoPtr is shared by the balancer and the transports.
type HandshakeInfoPtr = atomic.Pointer[RefCounted[*HandshakeInfo]]

// NewHandshakeInfo returns a new reference counted HandshakeInfo.
func NewHandshakeInfo(root, identity Provider, sni string) *RefCounted[*HandshakeInfo] {
	hi := &HandshakeInfo{rootProvider: root, identityProvider: identity, sni: sni}
	return NewRefCounted(hi, hi.close)
}

func (hi *HandshakeInfo) close() {
	if hi.rootProvider != nil {
		hi.rootProvider.Close()
	}
	if hi.identityProvider != nil {
		hi.identityProvider.Close()
	}
}

// ClientSideTLSConfig loads the HandshakeInfo from hiPtr, marks it as in-use,
// and returns the tls.Config along with a done callback that MUST be invoked
// when the handshake completes.
func ClientSideTLSConfig(ctx context.Context, hiPtr *HandshakeInfoPtr) (cfg *tls.Config, done func(), err error) {
	for {
		hiRC := hiPtr.Load()
		if hiRC == nil {
			return nil, nil, errors.New("xds: connection closed")
		}
		if !hiRC.TryIncrement() {
			if hiPtr.Load() != hiRC {
				continue
			}
			return nil, nil, errors.New("xds: HandshakeInfo dead")
		}
		cfg, err := hiRC.val.ClientSideTLSConfig(ctx)
		if err != nil {
			hiRC.Decrement()
			return nil, nil, err
		}
		return cfg, hiRC.Decrement, nil
	}
}

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
	cfg, done, err := ClientSideTLSConfig(ctx, hiPtr)
	if err != nil {
		return err
	}
	defer done()
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
}

func (b *clusterImplBalancer) handleSecurityConfig(config *SecurityConfig) {
	var rootProvider, identityProvider Provider
	rootProvider = &fileProvider{km: config.Root}
	if config.Identity != nil {
		identityProvider = &fileProvider{km: config.Identity}
	}

	oldHI := b.xdsHIPtr.Swap(NewHandshakeInfo(rootProvider, identityProvider, config.SNI))
	if oldHI != nil {
		oldHI.Decrement()
	}
}
