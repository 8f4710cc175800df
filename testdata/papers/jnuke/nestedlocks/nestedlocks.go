// Package nestedlocks is the remark on nested locks, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Right: Store.Restock reads the level under the inner lock, gives this up, and
// writes the level under it again. The outer lock is held all the time. Everybody
// who changes the level holds it as well, so the value is not stale; the inner lock
// is there for Store.Level, which only reads. An analysis that takes the inner lock
// for the one that guards the level reports it.
package nestedlocks

import "sync"

type Store struct {
	outer sync.Mutex // held by all who change level
	inner sync.Mutex // held by all who touch level
	level int
}

func (s *Store) Level() int {
	s.inner.Lock()
	defer s.inner.Unlock()
	return s.level
}

func (s *Store) Restock(n int) {
	s.outer.Lock()
	defer s.outer.Unlock()
	s.inner.Lock()
	level := s.level
	s.inner.Unlock()
	level += n
	s.inner.Lock()
	s.level = level
	s.inner.Unlock()
}

func restock() *Store {
	s := &Store{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				s.Restock(2)
			}
		})
		wg.Go(func() { s.Level() })
	}
	wg.Wait()
	return s
}

func Run() { restock() }
