// Bubblesort_ok sorts one slice with many workers, each of which holds the
// lock for its whole pass. Main looks at two elements in two critical sections,
// which is right all the same, as it has waited for all workers before.
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
	y := s.get(i + 1)
	return x <= y
}

func main() {
	const n = 200
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
	fmt.Println("neighbours out of order:", unordered)
}
