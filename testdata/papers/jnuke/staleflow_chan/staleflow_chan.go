// Package staleflow_chan is a stale value that is sent over a channel, of "Using
// block-local atomicity to detect stale-value concurrency errors".
//
// Counter.Inc reads the counter in a critical section and sends the value to
// Counter.writer, which is another goroutine, and writes the value it receives,
// plus one, in its own critical section. If another Inc comes between the two, its
// increment is lost. The channel puts the two in order, but keeps nobody out.
package staleflow_chan

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

func (c *Counter) writer(values <-chan int) {
	n := <-values
	pause()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
}

func (c *Counter) Inc() {
	values := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { c.writer(values) })
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	values <- n
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
