// Package staleflow_struct_ok is a stale value in a copy of a struct, of "Using
// block-local atomicity to detect stale-value concurrency errors", repaired.
//
// Counter.Inc copies the struct, changes the copy and stores it in one critical
// section.
package staleflow_struct_ok

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
	defer c.mu.Unlock()
	s := c.stats
	s.n++
	s.sum += s.n
	pause()
	c.stats = s
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
