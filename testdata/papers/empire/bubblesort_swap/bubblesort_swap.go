// Package bubblesort_swap is SoftwareVerificationHW of Empire's Table 2: many
// workers sort one slice, each of which passes over it once. Here a swap is one
// critical section, which the comparison before is not in.
//
// AV1: step. It compares two elements; step of another worker, which swaps them;
// swap: they are out of order again.
package bubblesort_swap

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

func (s *sorter) swap(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a[i], s.a[i+1] = s.a[i+1], s.a[i]
}

// step puts elements i and i+1 in order.
//
//atomvet:unit
func (s *sorter) step(i int) {
	if s.a[i] > s.a[i+1] { // AV1: the first access
		pause()
		s.swap(i) // want `^R\(a\) W'\(a\) W\(a\): \(\*sorter\)\.step is not .*, if another \(\*sorter\)\.step comes`
	}
}

func (s *sorter) pass(n int) {
	for i := range n - 1 {
		s.step(i)
	}
}

// Run sorts some numbers and returns how many neighbours are out of order.
func Run() int {
	const n = 100
	s := &sorter{a: rand.Perm(n)}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { s.pass(n) })
	}
	wg.Wait()

	unordered := 0
	for i := range n - 1 {
		if s.a[i] > s.a[i+1] {
			unordered++
		}
	}
	return unordered
}
