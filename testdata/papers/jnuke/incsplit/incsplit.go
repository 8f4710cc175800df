// Package incsplit is the split increment of Fig. 2, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Counter.Inc reads the counter in one critical section, and writes what it read
// plus one in another. If another Inc comes in between, both write the same value,
// and one increment is lost.
package incsplit

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
	c.mu.Unlock()
	tmp++
	pause()
	c.mu.Lock()
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
