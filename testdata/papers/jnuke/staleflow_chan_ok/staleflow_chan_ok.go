// Package staleflow_chan_ok is a stale value that is sent over a channel, of "Using
// block-local atomicity to detect stale-value concurrency errors", repaired.
//
// Counter.Inc sends by how much the counter is to grow, not what it was.
// Counter.writer reads and writes the counter in one critical section.
package staleflow_chan_ok

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

func (c *Counter) writer(steps <-chan int) {
	n := <-steps
	pause()
	c.mu.Lock()
	c.n += n
	c.mu.Unlock()
}

func (c *Counter) Inc() {
	steps := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { c.writer(steps) })
	steps <- 1
	wg.Wait()
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
