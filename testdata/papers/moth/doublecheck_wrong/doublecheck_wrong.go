// Package doublecheckwrong is DoubleCheck of the MoTH suite (MoTH, Table 1;
// Artho, Havelund and Biere 2004, Figure 6) with a mistake: the update checks
// the field that remembers the value handed out last, not the shared value.
//
// AV1: step. get; update of the other goroutine, which read the same value;
// update: seen still is the old value, the check passes, and the other update is
// lost.
package doublecheckwrong

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type shared struct {
	mu    sync.Mutex
	field int
	seen  int // the value that get returned last
}

func (s *shared) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = s.field
	return s.seen
}

// update replaces old by new and reports whether it did.
func (s *shared) update(old, new int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != old {
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
