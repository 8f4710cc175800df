package callees

import "sync"

// Two methods that call each other both find, and put, what a third one has missed:
// which of them it asks makes no difference.

type Cycle struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Cycle) a(k string, n int) bool {
	if n > 0 {
		return c.b(k, n-1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.items[k]
	return ok
}

func (c *Cycle) b(k string, n int) bool { return c.a(k, n) }

func (c *Cycle) AddByA(k string, n int) {
	if !c.a(k, n) {
		c.mu.Lock()
		c.items[k] = n // want `check-then-act: c.items\[k\] was checked at line 26`
		c.mu.Unlock()
	}
}

func (c *Cycle) AddByB(k string, n int) {
	if !c.b(k, n) {
		c.mu.Lock()
		c.items[k] = n // want `check-then-act: c.items\[k\] was checked at line 34`
		c.mu.Unlock()
	}
}

func (c *Cycle) AddSafely(k string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; !ok {
		c.items[k] = n
	}
}
