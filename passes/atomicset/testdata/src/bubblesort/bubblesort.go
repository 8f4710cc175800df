// Bubblesort sorts one slice with many workers, each of which passes over it
// once. Every read and write of an element has a critical section of its own,
// so a swap works with stale values: R(a) W'(a) W(a) between two workers
// loses one element and doubles another.
package main

import (
	"fmt"
	"math/rand"
	"sync"
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

func (s *sorter) put(i, x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a[i] = x
}

// step puts elements i and i+1 in order.
//
//atomvet:unit
func (s *sorter) step(i int) {
	x, y := s.get(i), s.get(i+1)
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

func main() {
	const n = 200
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
	fmt.Println("elements lost:", n-len(seen))
}
