// Package bubblesort_sleep is SoftwareVerificationHW of Empire's Table 2, in which
// the main thread does not wait for the workers but sleeps for a while. Each worker
// holds the lock for its whole pass.
//
// AV1: ordered. It reads an element; pass of a worker that has come late; it reads
// the next one: the two are of different states.
package bubblesort_sleep

import (
	"math/rand"
	"sync"
	"time"
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
	if s.a[i] > s.a[i+1] {
		s.a[i], s.a[i+1] = s.a[i+1], s.a[i]
	}
}

// ordered reports whether elements i and i+1 are in order.
//
//atomvet:unit
func (s *sorter) ordered(i int) bool {
	x := s.get(i) // AV1: the first access
	pause()
	y := s.get(i + 1) // want `^R\(a\) W'\(a\) R\(a\): \(\*sorter\)\.ordered is not .*, if \(\*sorter\)\.pass comes`
	return x <= y
}

// Run sorts some numbers and returns how many neighbours it found out of order.
func Run() int {
	const n = 100
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
	return unordered
}
