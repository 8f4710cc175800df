// Package bubblesort is SoftwareVerificationHW of Empire's Table 2: many workers
// sort one slice, each of which passes over it once. Here every read and write of
// an element has a critical section of its own.
//
// AV1: step. It reads two elements; step of another worker; it writes the two:
// what they have become meanwhile is replaced, so that one element is lost and
// another one doubled.
package bubblesort

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

func (s *sorter) put(i, x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a[i] = x
}

// step puts elements i and i+1 in order.
//
//atomvet:unit
func (s *sorter) step(i int) {
	x, y := s.get(i), s.get(i+1) // AV1: the first access
	pause()
	if x > y {
		s.put(i, y) // want `^R\(a\) W'\(a\) W\(a\): \(\*sorter\)\.step is not .*, if another \(\*sorter\)\.step comes`
		s.put(i+1, x)
	}
}

func (s *sorter) pass(n int) {
	for i := range n - 1 {
		s.step(i)
	}
}

// Run sorts some numbers and returns how many of them were lost.
func Run() int {
	const n = 100
	s := &sorter{a: rand.Perm(n)}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { s.pass(n) })
	}
	wg.Wait()

	seen := make(map[int]bool)
	for i := range n {
		seen[s.get(i)] = true
	}
	return n - len(seen)
}
