// Package bubblesort_ok is SoftwareVerificationHW of Empire's Table 2 put right:
// each of the many workers holds the lock for its whole pass, and so does who
// compares two elements.
package bubblesort_ok

import (
	"math/rand"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

type sorter struct {
	mu sync.Mutex
	//atomvet:set elements
	a []int
}

// pass goes over the elements once, and puts neighbours in order.
//
//atomvet:unit
func (s *sorter) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range len(s.a) - 1 {
		s.stepLocked(i)
	}
}

func (s *sorter) stepLocked(i int) {
	x, y := s.a[i], s.a[i+1]
	pause()
	if x > y {
		s.a[i], s.a[i+1] = y, x
	}
}

// ordered reports whether elements i and i+1 are in order.
//
//atomvet:unit
func (s *sorter) ordered(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.a[i] <= s.a[i+1]
}

// Run sorts some numbers and returns how many neighbours are out of order.
func Run() int {
	const n = 100
	s := &sorter{a: rand.Perm(n)}
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.pass()
		}()
	}
	wg.Wait()

	unordered := 0
	for i := range n - 1 {
		if !s.ordered(i) {
			unordered++
		}
	}
	return unordered
}
