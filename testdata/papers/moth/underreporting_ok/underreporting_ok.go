// Package underreportingok is the counter of underreporting with the reading and
// the adding of Double in one critical section.
//
// No violation: what Double adds is the counter as it still is.
package underreportingok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Counter is a number that clients add to.
type Counter struct {
	mu sync.Mutex
	i  int
}

// Inc adds a and returns the sum.
func (c *Counter) Inc(a int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inc(a)
}

// inc is called with the lock.
func (c *Counter) inc(a int) int {
	c.i += a
	return c.i
}

// Double adds the counter to itself.
func (c *Counter) Double() {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.inc(0)
	pause()
	c.inc(i)
}

// client doubles the counter and then counts two steps. The steps may come
// apart without harm: nothing is taken from the first to the second.
func client(c *Counter) {
	c.Double()
	c.Inc(1)
	c.Inc(1)
}

// Run lets two clients use one counter.
func Run() {
	c := &Counter{i: 1}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { client(c) })
	}
	wg.Wait()
}
