// Package staleflow_return is a stale value that a function returns, of "Using
// block-local atomicity to detect stale-value concurrency errors".
//
// Counter.Inc gets the counter from Counter.Value, which reads it in a critical
// section, and writes it back, plus one, with Counter.set in another. If another
// Inc comes in between, its increment is lost.
package staleflow_return

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

func (c *Counter) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func (c *Counter) Inc() {
	n := c.Value()
	pause()
	c.set(n + 1)
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
