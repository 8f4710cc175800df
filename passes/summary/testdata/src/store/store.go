// Package store is used by package client. // want package:"summary"
package store

import "sync"

type Store struct {
	mu    sync.Mutex
	items map[string]int
	name  string // never written again
	hook  func()
}

func New(name string) *Store { return &Store{items: make(map[string]int), name: name} }

func (s *Store) Lock() { s.mu.Lock() } // want `: acquire p0.mu exclusive$`

func (s *Store) Unlock() { s.mu.Unlock() } // want `: release p0.mu exclusive$`

func (s *Store) TryLock() bool { // want `: acquire p0.mu exclusive if result 0 is true`
	if s.mu.TryLock() {
		return true
	}
	return false
}

func (s *Store) Get(k string) (int, bool) { // want `: region 0 p0.mu exclusive; .*read Store.items\[p1\] of p0 in 0; result 0 from p1,\d; result 1 from p1,\d plain$`
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.items[k]
	return v, ok
}

func (s *Store) Put(k string, v int) { // want `: region 0 p0.mu exclusive; 0 write Store.items\[p1\] of p0 in 0 (pure )?from p1,p2`
	s.mu.Lock()
	s.items[k] = v
	s.mu.Unlock()
}

func (s *Store) Update(f func(map[string]int)) { // want `: region 0 p0.mu exclusive; (.*; )?calls p1\(p0\.items\) in 0$`
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.items)
}

// Yield gives the lock of its caller up for a while.
func (s *Store) Yield() { // want `: split p0.mu exclusive`
	s.mu.Unlock()
	s.hook()
	s.mu.Lock()
}

func (s *Store) Start(f func()) { go f() } // want `: spawns p1`

func (s *Store) OnChange(f func()) { // want `: region 0 p0.mu exclusive; 0 write Store.hook of p0 in 0 .*; keeps p1$`
	s.mu.Lock()
	s.hook = f
	s.mu.Unlock()
}

// Self returns its receiver.
func (s *Store) Self() *Store { return s }

func (s *Store) Name() string { return s.name }

// Guarded is generic.
type Guarded[T any] struct {
	mu  sync.Mutex
	val T
}

func (g *Guarded[T]) Set(v T) { // want `: region 0 p0.mu exclusive; 0 write Guarded.val of p0 in 0 passed from p1$`
	g.mu.Lock()
	g.val = v
	g.mu.Unlock()
}

func (g *Guarded[T]) Update(f func(T) T) { // want `: region 0 p0.mu exclusive; 0 write Guarded.val of p0 in 0 from p1,\d; .*read Guarded.val of p0 in 0 .*; calls p1\(p0\.val\) in 0$`
	g.mu.Lock()
	defer g.mu.Unlock()
	g.val = f(g.val)
}
