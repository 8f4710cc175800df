// Bubblesort_sleep sorts one slice with many workers, each of which holds the
// lock for its whole pass. Main does not wait for them but sleeps for a while,
// and then compares two elements that it reads in two critical sections: with
// a pass in between, R(a) W'(a) R(a), they are of different states.
package main

import (
	"fmt"
	"math/rand"
	"sync"
	"time"
)

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
	if s.a[i] > s.a[i+1] {
		s.a[i], s.a[i+1] = s.a[i+1], s.a[i]
	}
}

// ordered reports whether elements i and i+1 are in order.
//
//atomvet:unit
func (s *sorter) ordered(i int) bool {
	x := s.get(i)
	y := s.get(i + 1) // want `^R\(a\) W'\(a\) R\(a\): \(\*sorter\)\.ordered is not .*, if \(\*sorter\)\.pass comes`
	return x <= y
}

func main() {
	const n = 200
	s := &sorter{a: rand.Perm(n)}
	for range n {
		delay := time.Duration(rand.Intn(20)) * time.Millisecond
		go func() {
			time.Sleep(delay)
			s.pass()
		}()
	}
	time.Sleep(10 * time.Millisecond)

	unordered := 0
	for i := range n - 1 {
		if !s.ordered(i) {
			unordered++
		}
	}
	fmt.Println("neighbours out of order:", unordered)
}
