package rpc

import "sync"

// mapset is a set which is safe for concurrent use.
type mapset[T comparable] struct {
	mu sync.RWMutex
	m  map[T]struct{}
}

func newMapset[T comparable]() *mapset[T] {
	return &mapset[T]{m: make(map[T]struct{})}
}

// Add adds an element to the set.
func (s *mapset[T]) Add(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[v] = struct{}{}
}

// Remove removes a single element from the set.
func (s *mapset[T]) Remove(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, v)
}

// Each iterates over elements and executes the passed func against each element.
// If passed func returns false, stop iteration at the time.
func (s *mapset[T]) Each(cb func(T) bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for v := range s.m {
		if !cb(v) {
			break
		}
	}
}
