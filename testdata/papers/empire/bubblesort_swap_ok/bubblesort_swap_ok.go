// Package bubblesort_swap_ok is SoftwareVerificationHW of Empire's Table 2 put
// right: many workers sort one slice, each of which passes over it once. A
// comparison and the swap after it are one critical section. The workers may still
// overtake each other, which costs order, but no element.
package bubblesort_swap_ok

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

// step puts elements i and i+1 in order.
//
//atomvet:unit
func (s *sorter) step(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.a[i] > s.a[i+1] {
		pause()
		s.a[i], s.a[i+1] = s.a[i+1], s.a[i]
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
	for _, x := range s.a {
		seen[x] = true
	}
	return n - len(seen)
}
