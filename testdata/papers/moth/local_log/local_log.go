// Package locallog is Local of the MoTH suite (MoTH, Table 1) without its
// violation: two goroutines read a cell and then set it, but the value read is
// only logged, and the value set is each goroutine's own.
//
// It is right: whatever another goroutine sets in between, the cell holds what
// was set last. That the log tells of an older value harms nobody.
package locallog

import (
	"io"
	"log"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

var logger = log.New(io.Discard, "", 0)

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

func replace(c *cell, n int) {
	tmp := c.getValue()
	pause()
	logger.Printf("was %d", tmp)
	c.setValue(n)
}

// Run replaces the value of a cell in two goroutines.
func Run() {
	c := new(cell)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { replace(c, i+1) })
	}
	wg.Wait()
}
