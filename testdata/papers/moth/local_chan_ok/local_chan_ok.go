// Package localchanok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels through a channel,
// but the reading and the writing are one critical section.
package localchanok

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
	tmp := make(chan int, 1)
	tmp <- c.n
	pause()
	c.n = <-tmp + 1
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
