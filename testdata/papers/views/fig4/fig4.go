// Package fig4 has the four threads of Fig. 4 of "High-level data races" (view
// consistency).
//
// t1 writes x and y in one section, t2 reads x, t3 reads x and then y with two getters,
// t4 reads x and then both together. If t1 comes between the two getters of t3, the
// sum is that of the old x and the new y. t2 and t4 are right: the views of t4 are a
// chain, and its pair is a copy. By the definition t4 and t3 are in conflict, too, but
// neither writes, so this one is harmless.
package fig4

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Pair struct{ x, y int }

func (p Pair) Sum() int { return p.x + p.y }

type Coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *Coord) X() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x
}

func (c *Coord) XY() Pair {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Pair{c.x, c.y}
}

func (c *Coord) SetXY(p Pair) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = p.x, p.y
}

func t1(c *Coord) { c.SetXY(Pair{10, 20}) }

func t2(c *Coord) int { return c.X() }

func (c *Coord) Y() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.y
}

func t3(c *Coord) int {
	x := c.X()
	pause()
	y := c.Y()
	return x + y
}

// t4 looks at x first, but goes by the pair.
func t4(c *Coord) int {
	if c.X() == 0 {
		return 0
	}
	return c.XY().Sum()
}

func Run() {
	c := &Coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(func() { t1(c) })
	wg.Go(func() { t2(c) })
	wg.Go(func() { t3(c) })
	wg.Go(func() { t4(c) })
	wg.Wait()
}
