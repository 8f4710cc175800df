// Package doublecheck is DoubleCheck of the MoTH suite (MoTH, Table 1; Artho,
// Havelund and Biere 2004, Figure 6): a shared value is read, a new one computed
// from it without the lock, and the update takes place only if the shared value
// is still the one read; else all is done again.
//
// It is right: the check and the update are one critical section, and the new
// value depends on nothing but the value that has been checked.
package doublecheck

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type shared struct {
	mu    sync.Mutex
	field int
}

func (s *shared) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.field
}

// update replaces old by new and reports whether old was still there.
func (s *shared) update(old, new int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.field != old {
		return false
	}
	s.field = new
	return true
}

func f(v int) int { return v + 1 }

// step replaces the shared value v by f(v) and returns how often it tried.
func step(s *shared) int {
	for try := 1; ; try++ {
		old := s.get()
		pause()
		if s.update(old, f(old)) {
			return try
		}
	}
}

// Run lets two goroutines take ten steps each.
func Run() {
	s := new(shared)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 10 {
				step(s)
			}
		})
	}
	wg.Wait()
}
