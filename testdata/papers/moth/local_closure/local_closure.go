// Package localclosure is Local of the MoTH suite (MoTH, Table 1): two
// goroutines increment a cell whose getValue and setValue are atomic. From the
// one to the other the value travels in a variable that two closures share.
//
// AV1: increment. getValue; setValue of the other goroutine; setValue: the
// value written is made from a stale one, an increment is lost.
package localclosure

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type cell struct {
	mu sync.Mutex
	n  int
}

func (c *cell) getValue() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *cell) setValue(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func increment(c *cell) {
	var tmp int
	load := func() { tmp = c.getValue() }
	store := func() { c.setValue(tmp + 1) }
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
