// Package localsliceok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels in an element of a
// slice, but the reading and the writing are one critical section.
package localsliceok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type cell struct {
	mu sync.Mutex
	n  int
}

func increment(c *cell) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tmp := make([]int, 2)
	tmp[0] = c.n
	pause()
	tmp[1] = tmp[0] + 1
	c.n = tmp[1]
}

// Run increments a cell in two goroutines.
func Run() {
	c := new(cell)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { increment(c) })
	}
	wg.Wait()
}
