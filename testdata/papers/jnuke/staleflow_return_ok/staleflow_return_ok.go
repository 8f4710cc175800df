// Package staleflow_return_ok is a stale value that a function returns, of "Using
// block-local atomicity to detect stale-value concurrency errors", repaired.
//
// Counter.Inc gets the counter from next, which is for callers that hold the lock,
// and holds it until the value is written.
package staleflow_return_ok

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

// next needs mu.
func (c *Counter) next() int { return c.n + 1 }

func (c *Counter) Inc() {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.next()
	pause()
	c.n = n
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
