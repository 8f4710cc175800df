// Package returntag_ok is the remark on values that methods return, of "Using
// block-local atomicity to detect stale-value concurrency errors", repaired.
//
// Tickets.Issue holds the lock from reading to writing; next only reads, for a
// caller that holds it.
package returntag_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// Tickets gives out numbers, each only once.
type Tickets struct {
	mu   sync.Mutex
	last int
}

// next needs mu.
func (s *Tickets) next() int { return s.last + 1 }

func (s *Tickets) Issue() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.next()
	pause()
	s.last = n
	return n
}

func Run() {
	s := &Tickets{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { s.Issue() })
	}
	wg.Wait()
}
