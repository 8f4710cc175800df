// Package localresultok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels through the result
// of a function, but the reading and the writing are one critical section.
package localresultok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type cell struct {
	mu sync.Mutex
	n  int
}

// next is the value that follows the one in c, for who holds c.mu.
func next(c *cell) int {
	return c.n + 1
}

func increment(c *cell) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tmp := next(c)
	pause()
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
