// Package doublecheck is the double check of Fig. 6, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Right: Field.Update reads the field in one critical section, computes, and writes
// in another only if the field still is what it was; otherwise it begins anew. The
// value read first may be stale when the second section begins, but there it is
// only compared. The analysis of the paper reports it nevertheless. The field is a
// plain number, so it makes no difference if it was something else for a while.
package doublecheck

import "sync"

type Field struct {
	mu sync.Mutex
	n  int
}

func (s *Field) Get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// replace stores n unless the field is no longer old.
func (s *Field) replace(old, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n != old {
		return false
	}
	s.n = n
	return true
}

func (s *Field) Update(f func(int) int) {
	for {
		old := s.Get()
		n := f(old)
		if s.replace(old, n) {
			return
		}
	}
}

func update() *Field {
	s := &Field{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				s.Update(func(n int) int { return n + 1 })
			}
		})
	}
	wg.Wait()
	return s
}

func Run() { update() }
