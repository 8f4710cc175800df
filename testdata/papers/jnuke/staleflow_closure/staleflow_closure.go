// Package staleflow_closure is a stale value that a closure captures, of "Using
// block-local atomicity to detect stale-value concurrency errors".
//
// Counter.later reads the counter in a critical section, and returns a function
// that has captured the value and writes it, plus one, in another critical section.
// If another Inc comes before Counter.Inc calls that function, its increment is
// lost.
package staleflow_closure

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
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n = n + 1
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
