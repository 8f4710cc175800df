package verdicts

import "sync"

// A pool of counts: an element is there while somebody uses it.
type counts struct {
	mu   sync.Mutex
	refs map[string]int
}

func (c *counts) Hold(k string) {
	c.mu.Lock()
	c.refs[k]++
	c.mu.Unlock()
}

// lower tells whether it was the last one.
func (c *counts) lower(k string) (last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refs[k]--
	return c.refs[k] == 0
}

func (c *counts) Drop(k string) {
	if c.lower(k) {
		c.mu.Lock()
		delete(c.refs, k) // want `check-then-act: c.refs\[k\] was checked`
		c.mu.Unlock()
	}
}

func (c *counts) DropNow(k string) {
	c.mu.Lock()
	c.refs[k]--
	n := c.refs[k]
	c.mu.Unlock()
	if n <= 0 {
		c.mu.Lock()
		delete(c.refs, k) // want `check-then-act: c.refs\[k\] was checked`
		c.mu.Unlock()
	}
}

// DropAgain looks at the count in the section of the removal.
func (c *counts) DropAgain(k string) {
	if c.lower(k) {
		c.mu.Lock()
		if c.refs[k] == 0 {
			delete(c.refs, k)
		}
		c.mu.Unlock()
	}
}

// DropAtOnce removes it in the section that lowers it.
func (c *counts) DropAtOnce(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs[k]--; c.refs[k] == 0 {
		delete(c.refs, k)
	}
}

// In a closing table nobody raises a count again.
type closing struct {
	mu   sync.Mutex
	left map[string]int
}

func newClosing(keys []string) *closing {
	c := &closing{left: make(map[string]int)}
	for _, k := range keys {
		c.left[k]++
	}
	return c
}

func (c *closing) done(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left[k]--
	return c.left[k]
}

func (c *closing) Done(k string) {
	if c.done(k) == 0 {
		c.mu.Lock()
		delete(c.left, k)
		c.mu.Unlock()
	}
}
