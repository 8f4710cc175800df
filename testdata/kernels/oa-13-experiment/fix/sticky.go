package experiment

import "sync"

// sticky remembers a decision for each key.
type sticky[K comparable, V any] struct {
	mu   sync.RWMutex
	vals map[K]V
}

func newSticky[K comparable, V any]() *sticky[K, V] {
	return &sticky[K, V]{vals: make(map[K]V)}
}

// Peek returns the decision for k if there is one.
func (s *sticky[K, V]) Peek(k K) (V, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.vals[k]
	return v, ok
}

// GetOrDecide returns the decision for k, calling decide for the first one.
func (s *sticky[K, V]) GetOrDecide(k K, decide func() V) V {
	s.mu.RLock()
	v, ok := s.vals[k]
	s.mu.RUnlock()
	if ok {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.vals[k]; ok {
		return v
	}
	v = decide()
	s.vals[k] = v
	return v
}

// Forget drops the decisions which match.
func (s *sticky[K, V]) Forget(match func(K) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.vals {
		if match(k) {
			delete(s.vals, k)
			n++
		}
	}
	return n
}
