// Package localfieldok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels in a field of a
// struct, but the reading and the writing are one critical section.
package localfieldok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type cell struct {
	mu sync.Mutex
	n  int
}

// work is what one increment has in hand.
type work struct {
	old, new int
}

func increment(c *cell) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var w work
	w.old = c.n
	pause()
	w.new = w.old + 1
	c.n = w.new
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
