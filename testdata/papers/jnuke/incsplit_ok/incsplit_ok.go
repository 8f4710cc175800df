// Package incsplit_ok is the split increment of Fig. 2, of "Using block-local
// atomicity to detect stale-value concurrency errors", repaired.
//
// Counter.Inc reads and writes in one critical section.
package incsplit_ok

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

func (c *Counter) Inc() {
	c.mu.Lock()
	tmp := c.n
	tmp++
	pause()
	c.n = tmp
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
