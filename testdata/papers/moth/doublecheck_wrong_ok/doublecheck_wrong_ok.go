// Package doublecheckwrongok is DoubleCheck of the MoTH suite (MoTH, Table 1;
// Artho, Havelund and Biere 2004, Figure 6) put right by one critical section:
// the value is read, checked and updated under the lock. The check of the wrong
// field then never fails, and does no harm.
package doublecheckwrongok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type shared struct {
	mu    sync.Mutex
	field int
	seen  int // the value that getLocked returned last
}

func (s *shared) getLocked() int {
	s.seen = s.field
	return s.seen
}

// updateLocked replaces old by new and reports whether it did.
func (s *shared) updateLocked(old, new int) bool {
	if s.seen != old {
		return false
	}
	s.field = new
	return true
}

func f(v int) int { return v + 1 }

// step replaces the shared value v by f(v) and returns how often it tried.
func step(s *shared) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for try := 1; ; try++ {
		old := s.getLocked()
		pause()
		if s.updateLocked(old, f(old)) {
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
