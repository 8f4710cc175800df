package certprovider

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var errProviderClosed = errors.New("provider instance is closed")

type KeyMaterial struct {
	Cert []byte
}

// Provider makes it possible to keep channel credential implementations up to
// date with secrets. It is safe for concurrent use; KeyMaterial returns an
// error once Close has been called.
type Provider interface {
	KeyMaterial(ctx context.Context) (*KeyMaterial, error)
	Close()
}

type store struct {
	mu        sync.Mutex
	providers map[string]*wrappedProvider
}

// wrappedProvider wraps a provider instance with a reference count.
type wrappedProvider struct {
	Provider
	refCount int

	storeKey string
	store    *store
}

// closedProvider always returns errProviderClosed error.
type closedProvider struct{}

func (c closedProvider) KeyMaterial(ctx context.Context) (*KeyMaterial, error) {
	return nil, errProviderClosed
}

func (c closedProvider) Close() {}

// singleCloseWrappedProvider wraps a provider instance with a reference count
// to properly handle multiple calls to Close.
type singleCloseWrappedProvider struct {
	provider atomic.Pointer[Provider]
}

// Close releases the reference held by the caller on the underlying provider.
func (wp *wrappedProvider) Close() {
	ps := wp.store
	ps.mu.Lock()
	defer ps.mu.Unlock()

	wp.refCount--
	if wp.refCount == 0 {
		wp.Provider.Close()
		delete(ps.providers, wp.storeKey)
	}
}

// Close overrides the Close method of the embedded provider to avoid release the
// already released reference.
func (w *singleCloseWrappedProvider) Close() {
	newProvider := Provider(closedProvider{})
	oldProvider := w.provider.Swap(&newProvider)
	(*oldProvider).Close()
}

// KeyMaterial returns the key material sourced by the Provider.
func (w *singleCloseWrappedProvider) KeyMaterial(ctx context.Context) (*KeyMaterial, error) {
	return (*w.provider.Load()).KeyMaterial(ctx)
}

// Build returns the provider of key, which is shared.
func (ps *store) Build(key string, start func() Provider) Provider {
	ps.mu.Lock()
	defer ps.mu.Unlock()

	wp, ok := ps.providers[key]
	if ok {
		wp.refCount++
	} else {
		wp = &wrappedProvider{Provider: start(), refCount: 1, storeKey: key, store: ps}
		ps.providers[key] = wp
	}
	s := &singleCloseWrappedProvider{}
	p := Provider(wp)
	s.provider.Store(&p)
	return s
}
