// Package localok is Local of the MoTH suite (MoTH, Table 1) put right: two
// goroutines increment a cell. The value read travels in a local variable, but
// the reading and the writing are one critical section.
package localok

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
	tmp := c.n
	pause()
	tmp++
	c.n = tmp
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
