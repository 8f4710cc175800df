// Package synctrack evaluates things when they are needed.
package synctrack

import (
	"sync"
	"sync/atomic"
)

// Lazy defers the computation of Evaluate to when it is necessary. It is
// possible that Evaluate will be called in parallel from multiple goroutines.
type Lazy[T any] struct {
	Evaluate func() (T, error)

	cache atomic.Pointer[cacheEntry[T]]
}

type cacheEntry[T any] struct {
	eval   func() (T, error)
	lock   sync.RWMutex
	result *T
}

func (e *cacheEntry[T]) cached() *T {
	e.lock.RLock()
	defer e.lock.RUnlock()
	return e.result
}

func (e *cacheEntry[T]) get() (T, error) {
	if cur := e.cached(); cur != nil {
		return *cur, nil
	}

	e.lock.Lock()
	defer e.lock.Unlock()
	if e.result != nil {
		return *e.result, nil
	}
	r, err := e.eval()
	if err == nil {
		e.result = &r
	}
	return r, err
}

func (z *Lazy[T]) newCacheEntry() *cacheEntry[T] {
	return &cacheEntry[T]{eval: z.Evaluate}
}

// Notify should be called when something has changed necessitating a new call
// to Evaluate.
func (z *Lazy[T]) Notify() { z.cache.Swap(z.newCacheEntry()) }

// Get should be called to get the current result of a call to Evaluate. If the
// current cached value is stale (due to a call to Notify), then Evaluate will
// be called synchronously.
func (z *Lazy[T]) Get() (T, error) {
	e := z.cache.Load()
	if e == nil {
		// Since we don't force a constructor, nil is a possible value.
		// If multiple Gets race to set this, the swap makes sure only
		// one wins.
		z.cache.CompareAndSwap(nil, z.newCacheEntry())
		e = z.cache.Load()
	}
	return e.get()
}

// Hooks merges the configurations that a set of sources has.
type Hooks struct {
	mu      sync.Mutex
	sources map[string][]string
	merged  Lazy[[]string]
}

// NewHooks returns a merger without sources.
func NewHooks() *Hooks {
	h := &Hooks{sources: make(map[string][]string)}
	h.merged.Evaluate = h.merge
	return h
}

func (h *Hooks) merge() ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := make(map[string]bool)
	var all []string
	for _, hooks := range h.sources {
		for _, hook := range hooks {
			if !seen[hook] {
				seen[hook] = true
				all = append(all, hook)
			}
		}
	}
	return all, nil
}

// Set replaces the hooks of one source.
func (h *Hooks) Set(source string, hooks []string) {
	h.mu.Lock()
	h.sources[source] = append([]string(nil), hooks...)
	h.mu.Unlock()
	h.merged.Notify()
}

// All returns the hooks of all sources.
func (h *Hooks) All() []string {
	all, _ := h.merged.Get()
	return append([]string(nil), all...)
}
