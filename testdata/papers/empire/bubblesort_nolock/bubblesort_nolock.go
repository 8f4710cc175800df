// Package bubblesort_nolock is SoftwareVerificationHW of Empire's Table 2 as
// ConTest has it: many workers sort one slice, each of which passes over it once,
// and there is no lock at all.
//
// AV1: step. It reads two elements; step of another worker; it writes the two:
// what they have become meanwhile is replaced, so that one element is lost and
// another one doubled.
package bubblesort_nolock

import (
	"math/rand"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

type sorter struct {
	//atomvet:set elements
	a []int
}

// step puts elements i and i+1 in order.
//
//atomvet:unit
func (s *sorter) step(i int) {
	x, y := s.a[i], s.a[i+1] // AV1: the first access
	pause()
	if x > y {
		s.a[i], s.a[i+1] = y, x // want `^R\(a\) W'\(a\) W\(a\): \(\*sorter\)\.step is not .*, if another \(\*sorter\)\.step comes`
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
