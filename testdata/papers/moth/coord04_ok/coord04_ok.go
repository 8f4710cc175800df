// Package coord04ok is Coord04 of the MoTH suite (MoTH, Table 1; Artho,
// Havelund and Biere 2004, Figure 1) put right: reset sets both coordinates to 0
// in one critical section.
package coord04ok

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

func (c *coord) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = 0
	pause()
	c.y = 0
}

// Run swaps and resets one pair of coordinates.
func Run() {
	c := &coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(c.swap)
	wg.Go(c.reset)
	wg.Wait()
}
