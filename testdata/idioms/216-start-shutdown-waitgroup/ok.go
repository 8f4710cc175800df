// Package ok shares informers between controllers.
package ok

import (
	"context"
	"sync"
	"time"
)

// SharedIndexInformer watches one type.
type SharedIndexInformer interface {
	RunWithContext(ctx context.Context)
	HasSynced() bool
}

// NewInformerFunc makes an informer.
type NewInformerFunc func(resync time.Duration) SharedIndexInformer

type sharedInformerFactory struct {
	lock          sync.Mutex
	defaultResync time.Duration
	customResync  map[string]time.Duration

	informers map[string]SharedIndexInformer
	// startedInformers is used for tracking which informers have been started.
	// This allows Start() to be called multiple times safely.
	startedInformers map[string]bool
	// wg tracks how many goroutines were started.
	wg sync.WaitGroup
	// shuttingDown is true when Shutdown has been called. It may still be
	// running because it needs to wait for goroutines.
	shuttingDown bool
}

// NewSharedInformerFactory constructs a new instance of the factory.
func NewSharedInformerFactory(defaultResync time.Duration, custom map[string]time.Duration) *sharedInformerFactory {
	return &sharedInformerFactory{
		defaultResync:    defaultResync,
		customResync:     custom,
		informers:        make(map[string]SharedIndexInformer),
		startedInformers: make(map[string]bool),
	}
}

// InformerFor returns the informer of a type.
func (f *sharedInformerFactory) InformerFor(informerType string, newFunc NewInformerFunc) SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()

	informer, exists := f.informers[informerType]
	if exists {
		return informer
	}

	resyncPeriod, exists := f.customResync[informerType]
	if !exists {
		resyncPeriod = f.defaultResync
	}

	informer = newFunc(resyncPeriod)
	f.informers[informerType] = informer
	return informer
}

// StartWithContext starts all informers that were not started.
func (f *sharedInformerFactory) StartWithContext(ctx context.Context) {
	f.lock.Lock()
	defer f.lock.Unlock()

	if f.shuttingDown {
		return
	}

	for informerType, informer := range f.informers {
		if !f.startedInformers[informerType] {
			f.wg.Go(func() {
				informer.RunWithContext(ctx)
			})
			f.startedInformers[informerType] = true
		}
	}
}

// Shutdown waits for all informers; their context has to be ended.
func (f *sharedInformerFactory) Shutdown() {
	f.lock.Lock()
	f.shuttingDown = true
	f.lock.Unlock()

	// Will return immediately if there is nothing to wait for.
	f.wg.Wait()
}

// WaitForCacheSync waits for the informers that are started by now.
func (f *sharedInformerFactory) WaitForCacheSync(ctx context.Context) map[string]bool {
	informers := func() map[string]SharedIndexInformer {
		f.lock.Lock()
		defer f.lock.Unlock()

		informers := map[string]SharedIndexInformer{}
		for informerType, informer := range f.informers {
			if f.startedInformers[informerType] {
				informers[informerType] = informer
			}
		}
		return informers
	}()

	res := map[string]bool{}
	for informType, informer := range informers {
		for !informer.HasSynced() && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
		res[informType] = informer.HasSynced()
	}
	return res
}
