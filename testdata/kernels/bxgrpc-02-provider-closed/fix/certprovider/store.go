// Package certprovider shares sources of certificates.
package certprovider

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var errProviderClosed = errors.New("provider instance is closed")

// KeyMaterial is read-only.
type KeyMaterial struct{ PEM []byte }

// Provider makes it possible to keep channel credentials fresh.
type Provider interface {
	KeyMaterial(ctx context.Context) (*KeyMaterial, error)
	Close()
}

type closedProvider struct{}

func (closedProvider) KeyMaterial(context.Context) (*KeyMaterial, error) {
	return nil, errProviderClosed
}
func (closedProvider) Close() {}

// singleCloseWrappedProvider ignores the second Close.
type singleCloseWrappedProvider struct {
	provider atomic.Pointer[Provider]
}

func (w *singleCloseWrappedProvider) Close() {
	closed := Provider(closedProvider{})
	old := w.provider.Swap(&closed)
	(*old).Close()
}

func (w *singleCloseWrappedProvider) KeyMaterial(ctx context.Context) (*KeyMaterial, error) {
	return (*w.provider.Load()).KeyMaterial(ctx)
}

type wrappedProvider struct {
	Provider
	refCount int
	name     string
	store    *Store
}

func (wp *wrappedProvider) Close() {
	ps := wp.store
	ps.mu.Lock()
	defer ps.mu.Unlock()
	wp.refCount--
	if wp.refCount == 0 {
		wp.Provider.Close()
		delete(ps.providers, wp.name)
	}
}

// Store is safe for concurrent use.
type Store struct {
	start func(name string) Provider

	mu        sync.Mutex
	providers map[string]*wrappedProvider
}

// NewStore returns a store that starts providers with start.
func NewStore(start func(string) Provider) *Store {
	return &Store{start: start, providers: make(map[string]*wrappedProvider)}
}

// Build returns a handle of the provider called name.
func (ps *Store) Build(name string) Provider {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	wp, ok := ps.providers[name]
	if !ok {
		wp = &wrappedProvider{Provider: ps.start(name), name: name, store: ps}
		ps.providers[name] = wp
	}
	wp.refCount++
	w := &singleCloseWrappedProvider{}
	p := Provider(wp)
	w.provider.Store(&p)
	return w
}
