// Package staleflow_local is a stale value that flows through local variables, of
// "Using block-local atomicity to detect stale-value concurrency errors".
//
// Counter.Inc reads the counter in one critical section; the value goes from one
// local variable to another, on one of two branches, and is written back in a
// second critical section. If another Inc comes in between, its increment is lost.
package staleflow_local

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

const limit = 100

func (c *Counter) Inc() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	next := limit
	if n < limit {
		next = n + 1
	}
	pause()
	c.mu.Lock()
	c.n = next
	c.mu.Unlock()
}

func Run() {
	c := &Counter{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(c.Inc)
	}
	wg.Wait()
	c.Value()
}
