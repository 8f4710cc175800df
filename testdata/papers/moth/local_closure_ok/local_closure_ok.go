// Package localclosureok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels in a variable that
// two closures share, but the reading and the writing are one critical
// section.
package localclosureok

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
	var tmp int
	load := func() { tmp = c.n }
	store := func() { c.n = tmp + 1 }
	load()
	pause()
	store()
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
