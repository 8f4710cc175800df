// Package staleflow_local_ok is a stale value that flows through local variables,
// of "Using block-local atomicity to detect stale-value concurrency errors",
// repaired.
//
// The value goes from one local variable to another, but all in one critical
// section.
package staleflow_local_ok

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
	next := limit
	if n < limit {
		next = n + 1
	}
	pause()
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
