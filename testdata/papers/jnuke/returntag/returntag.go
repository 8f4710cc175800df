// Package returntag is the remark on values that methods return, of "Using block-
// local atomicity to detect stale-value concurrency errors".
//
// Tickets.Issue gets the next number from Tickets.next, which has it from
// Tickets.peek, which reads it in a critical section, and stores it as the last one
// in Tickets.store. That the value was shared does not show where it is used: it
// comes out of two calls. If another Issue comes in between, both give out the same
// number.
package returntag

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// Tickets gives out numbers, each only once.
type Tickets struct {
	mu   sync.Mutex
	last int
}

func (s *Tickets) peek() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Tickets) next() int { return s.peek() + 1 }

func (s *Tickets) store(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = n
}

func (s *Tickets) Issue() int {
	n := s.next()
	pause()
	s.store(n)
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
