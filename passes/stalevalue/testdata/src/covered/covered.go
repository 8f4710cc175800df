// Package covered has a store of another package under a lock of its own, which
// is held wherever the store is changed.
package covered

import (
	"sync"

	"store"
)

type Shelf struct {
	mu    sync.Mutex
	store *store.Store
	sizes chan int
}

func (s *Shelf) Grow(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.Limit() < n {
		s.store.SetLimit(n)
	}
}

// Each round of the loop has a critical section of its own.
func (s *Shelf) Follow() {
	for n := range s.sizes {
		s.mu.Lock()
		if n == 0 {
			s.store.Raise(1)
		} else if s.store.Limit() < n {
			s.store.SetLimit(n)
		}
		s.mu.Unlock()
	}
}

func (s *Shelf) Double() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.Update(func(n int) int { return 2 * n })
}
