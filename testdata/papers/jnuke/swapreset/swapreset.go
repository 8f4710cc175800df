// Package swapreset is the swap and reset of Fig. 1, of "Using block-local
// atomicity to detect stale-value concurrency errors".
//
// Coord.Reset sets x and y to 0 in two critical sections. If Coord.Swap comes
// between resetX and resetY, it moves the old y to x and the 0 to y, and x keeps
// the old y. A point that was reset is not at 0, in whichever order the two are
// called.
//
// No stale value is used here, so the analysis of the paper does not see it; view
// consistency does.
package swapreset

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *Coord) Swap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = c.y, c.x
}

func (c *Coord) XY() (x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x, c.y
}

func (c *Coord) resetX() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = 0
}

func (c *Coord) resetY() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.y = 0
}

func (c *Coord) Reset() {
	c.resetX()
	pause()
	c.resetY()
}

func Run() {
	c := &Coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(c.Swap)
	wg.Go(c.Reset)
	wg.Wait()
	c.XY()
}
