// Package staleflow_closure_ok is a stale value that a closure captures, of "Using
// block-local atomicity to detect stale-value concurrency errors", repaired.
//
// The function that Counter.later returns has captured the counter, not its value.
// It reads the value when it writes it, in one critical section.
package staleflow_closure_ok

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

func (c *Counter) later() (commit func()) {
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
	}
}

func (c *Counter) Inc() {
	commit := c.later()
	pause()
	commit()
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
