// Package underreporting is UnderReporting of the MoTH paper, the second figure
// of von Praun and Gross: a counter whose only method is called twice.
//
// AV1, Inc and Inc in Double: the first call reads the counter, another client
// doubles it, the second call adds what the first one returned. From 1, two
// clients get to 3 instead of 4. Both calls access the same field, so that the
// sets of fields of the two critical sections tell nothing.
//
// The two calls in client that add a constant and leave the results alone are
// right.
package underreporting

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
	c.i += a
	return c.i
}

// Double adds the counter to itself.
func (c *Counter) Double() {
	i := c.Inc(0) // AV1: the read
	pause()
	c.Inc(i) // AV1: the write
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
