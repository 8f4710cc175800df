package copies

import (
	"sync"
	"sync/atomic"
)

type bag struct{ m map[string]bool }

func (b *bag) clone() *bag {
	c := &bag{m: make(map[string]bool, len(b.m))}
	for k := range b.m {
		c.m[k] = true
	}
	return c
}

func (b *bag) add(k string) { b.m[k] = true }

// A Store replaces what readers have.
type Store struct {
	mu  sync.Mutex // serializes updates
	bag atomic.Pointer[bag]
}

// Add loads what it copies before it waits for the others.
func (s *Store) Add(k string) {
	old := s.bag.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	next := old.clone()
	next.add(k)
	s.bag.Store(next) // want `lost-update: s.bag was read at line \d+`
}

// AddAll copies in the function itself.
func (s *Store) AddAll(keys []string) {
	old := s.bag.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	next := &bag{m: make(map[string]bool)}
	for k := range old.m {
		next.m[k] = true
	}
	for _, k := range keys {
		next.m[k] = true
	}
	s.bag.Store(next) // want `lost-update: s.bag was read at line \d+`
}

// A Shop copies what is there when it is its turn.
type Shop struct {
	mu  sync.Mutex
	bag atomic.Pointer[bag]
}

func (s *Shop) Add(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.bag.Load().clone()
	next.add(k)
	s.bag.Store(next)
}

// Reset puts in a new one, which has nothing of the old one in it.
func (s *Shop) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bag.Store(&bag{m: make(map[string]bool)})
}
