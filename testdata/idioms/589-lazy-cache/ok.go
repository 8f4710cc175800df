// Package ok merges documents from several sources when they are needed.
package ok

import (
	"maps"
	"slices"
	"strings"
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

func (e *cacheEntry[T]) get() (T, error) {
	if cur := func() *T {
		e.lock.RLock()
		defer e.lock.RUnlock()
		return e.result
	}(); cur != nil {
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

// Get should be called to get the current result of a call to Evaluate.
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

// Store has the rules of several sources.
type Store struct {
	merged Lazy[[]string]

	mu      sync.RWMutex
	sources map[string][]string
}

// NewStore returns an empty store.
func NewStore() *Store {
	s := &Store{sources: make(map[string][]string)}
	s.merged.Evaluate = s.merge
	return s
}

// Update replaces the rules of a source. Those who ask for the rules after it
// has returned get the new ones.
func (s *Store) Update(source string, rules []string) {
	s.mu.Lock()
	s.sources[source] = slices.Clone(rules)
	s.mu.Unlock()
	s.merged.Notify()
}

// Watch applies the updates that come in from another process.
func (s *Store) Watch(updates <-chan map[string][]string) {
	go func() {
		for u := range updates {
			for source, rules := range u {
				s.Update(source, rules)
			}
		}
	}()
}

// Rules returns the merged rules; they must not be changed.
func (s *Store) Rules() ([]string, error) { return s.merged.Get() }

func (s *Store) merge() ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []string
	for _, source := range slices.Sorted(maps.Keys(s.sources)) {
		for _, r := range s.sources[source] {
			if r = strings.TrimSpace(r); r != "" {
				out = append(out, source+": "+r)
			}
		}
	}
	return out, nil
}
