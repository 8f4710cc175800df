// Package coord04 is Coord04 of the MoTH suite (MoTH, Table 1; Artho, Havelund
// and Biere 2004, Figure 1): one thread swaps two coordinates, the other sets
// both to 0, one after the other.
//
// AV1: reset. resetX; swap of the other goroutine; resetY: y moves to x, where
// the reset has been already, and stays there. No value is stale here: the two
// writes belong together.
package coord04

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) swap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = c.y, c.x
}

func (c *coord) resetX() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = 0
}

func (c *coord) resetY() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.y = 0
}

func (c *coord) reset() {
	c.resetX()
	pause()
	c.resetY()
}

// Run swaps and resets one pair of coordinates.
func Run() {
	c := &coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(c.swap)
	wg.Go(c.reset)
	wg.Wait()
}
