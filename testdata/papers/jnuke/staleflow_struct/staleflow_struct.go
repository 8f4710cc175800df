// Package staleflow_struct is a stale value in a copy of a struct, of "Using block-
// local atomicity to detect stale-value concurrency errors".
//
// Counter.Inc copies the whole struct in one critical section, changes the copy,
// and stores it as a whole in another. If another Inc comes in between, its
// increment is lost.
package staleflow_struct

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type stats struct{ n, sum int }

type Counter struct {
	mu    sync.Mutex
	stats stats
}

func (c *Counter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats.n
}

func (c *Counter) Inc() {
	c.mu.Lock()
	s := c.stats
	c.mu.Unlock()
	s.n++
	s.sum += s.n
	pause()
	c.mu.Lock()
	c.stats = s
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
