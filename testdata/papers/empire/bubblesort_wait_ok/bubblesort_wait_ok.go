// Package bubblesort_wait_ok is SoftwareVerificationHW of Empire's Table 2 put
// right: each of the many workers holds the lock for its whole pass. Run looks at
// two elements in two critical sections, which is right all the same, as it has
// waited for all workers before. Empire has taken its own report on this program,
// R(a) W'(a) R(a), for a false one, as it did not know what Thread.join does.
package bubblesort_wait_ok

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

func (s *sorter) get(i int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.a[i]
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
	x := s.get(i)
	y := s.get(i + 1)
	return x <= y
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
