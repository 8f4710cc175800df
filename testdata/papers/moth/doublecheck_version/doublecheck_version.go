// Package doublecheckversion is DoubleCheck of the MoTH suite (MoTH, Table 1;
// Artho, Havelund and Biere 2004, Figure 6) with a version number: the update
// checks that nobody has updated since the value was read.
//
// It is right: the version changes with every update, so an equal version means
// an equal value; it notices even a value that went away and came back.
package doublecheckversion

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type shared struct {
	mu      sync.Mutex
	field   int
	version uint64
}

func (s *shared) get() (int, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.field, s.version
}

// update replaces the value of the given version and reports whether that was
// still the newest.
func (s *shared) update(version uint64, new int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != version {
		return false
	}
	s.field = new
	s.version++
	return true
}

func f(v int) int { return v + 1 }

// step replaces the shared value v by f(v) and returns how often it tried.
func step(s *shared) int {
	for try := 1; ; try++ {
		old, version := s.get()
		pause()
		if s.update(version, f(old)) {
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
