// Package localifaceok is Local of the MoTH suite (MoTH, Table 1) put right:
// two goroutines increment a cell. The value read travels inside an interface
// value, but the reading and the writing are one critical section.
package localifaceok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type cell struct {
	mu sync.Mutex
	n  int
}

type counter interface{ next() int }

type plain int

func (p plain) next() int { return int(p) + 1 }

func increment(c *cell) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var tmp counter = plain(c.n)
	pause()
	c.n = tmp.next()
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
