// Package swapreset_ok is the swap and reset of Fig. 1, of "Using block-local
// atomicity to detect stale-value concurrency errors", repaired.
//
// Coord.Reset sets x and y in one critical section.
package swapreset_ok

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

func (c *Coord) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = 0
	pause()
	c.y = 0
}

func Run() {
	c := &Coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(c.Swap)
	wg.Go(c.Reset)
	wg.Wait()
	c.XY()
}
