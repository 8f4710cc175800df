// Package localfield is Local of the MoTH suite (MoTH, Table 1): two
// goroutines increment a cell whose getValue and setValue are atomic. From the
// one to the other the value travels in a field of a struct.
//
// AV1: increment. getValue; setValue of the other goroutine; setValue: the
// value written is made from a stale one, an increment is lost.
package localfield

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

// work is what one increment has in hand.
type work struct {
	old, new int
}

func increment(c *cell) {
	var w work
	w.old = c.getValue()
	pause()
	w.new = w.old + 1
	c.setValue(w.new)
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
