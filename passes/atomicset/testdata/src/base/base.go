// Package base declares sets for other packages.
package base

import "sync"

// Counter is counted up and down, by methods.
type Counter struct {
	mu sync.Mutex
	n  int //atomvet:set counter
	up int //atomvet:set counter
}

// Get is one step.
func (c *Counter) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Set is one step.
func (c *Counter) Set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
	c.up++
}

// Open has its fields and its lock exported.
type Open struct {
	Mu sync.Mutex
	X  int //atomvet:set open
	Y  int //atomvet:set open
}

// Move is one step.
func (o *Open) Move(n int) {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	o.X += n
	o.Y += n
}
