// Package sequential is exercised by its own test, which runs one thing after
// the other.
package sequential

import "sync"

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

// Counter is what others see.
type Counter struct{ c counter }

// Add adds n.
func (c *Counter) Add(n int) {
	c.c.mu.Lock()
	c.c.n += n
	c.c.mu.Unlock()
}

// Reset forgets what was counted.
func (c *Counter) Reset() { c.c.set(0) }

// Halve is wrong, whatever the test does.
func (c *Counter) Halve() {
	c.c.set(c.c.get() / 2) // want `lost-update: c\.c\.n was read`
}

var total counter

// Total is what all counters have counted.
func Total() int { return total.get() }

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}
