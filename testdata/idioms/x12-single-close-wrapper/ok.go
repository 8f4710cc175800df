// Package ok shares sources of certificates.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var errProviderClosed = errors.New("provider instance is closed")

// Provider yields key material.
type Provider interface {
	KeyMaterial(ctx context.Context) ([]byte, error)
	Close()
}

type closedProvider struct{}

func (closedProvider) KeyMaterial(context.Context) ([]byte, error) { return nil, errProviderClosed }
func (closedProvider) Close()                                      {}

type singleCloseWrappedProvider struct {
	provider atomic.Pointer[Provider]
}

func newSingleClose(p Provider) *singleCloseWrappedProvider {
	w := &singleCloseWrappedProvider{}
	w.provider.Store(&p)
	return w
}

// Close releases the reference of this holder once.
func (w *singleCloseWrappedProvider) Close() {
	newProvider := Provider(closedProvider{})
	oldProvider := w.provider.Swap(&newProvider)
	(*oldProvider).Close()
}

// KeyMaterial implements Provider.
func (w *singleCloseWrappedProvider) KeyMaterial(ctx context.Context) ([]byte, error) {
	return (*w.provider.Load()).KeyMaterial(ctx)
}

type storeKey struct{ name, config string }

type wrappedProvider struct {
	Provider
	refCount int // guarded by store.mu
	key      storeKey
	store    *store
}

// Close releases one reference.
func (wp *wrappedProvider) Close() {
	ps := wp.store
	ps.mu.Lock()
	defer ps.mu.Unlock()
	wp.refCount--
	if wp.refCount == 0 {
		wp.Provider.Close()
		delete(ps.providers, wp.key)
	}
}

type store struct {
	mu        sync.Mutex
	providers map[storeKey]*wrappedProvider
}

var provStore = &store{providers: make(map[storeKey]*wrappedProvider)}

// Build returns a handle; equal names and configurations share a provider.
func Build(name, config string, starter func() Provider) (Provider, error) {
	provStore.mu.Lock()
	defer provStore.mu.Unlock()
	sk := storeKey{name, config}
	if wp, ok := provStore.providers[sk]; ok {
		wp.refCount++
		return newSingleClose(wp), nil
	}
	provider := starter()
	if provider == nil {
		return nil, errors.New("provider failed to start")
	}
	wp := &wrappedProvider{Provider: provider, refCount: 1, key: sk, store: provStore}
	provStore.providers[sk] = wp
	return newSingleClose(wp), nil
}
