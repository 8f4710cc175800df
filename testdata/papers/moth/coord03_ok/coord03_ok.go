// Package coord03ok is Coord03 of the MoTH suite (MoTH, Table 1; Artho,
// Havelund and Biere 2003, Figures 3 and 4) put right: t3 reads both coordinates
// in one critical section. t2 reads one only, and t4 takes what it needs of both
// from one getXY.
package coord03ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A pair is a copy, which belongs to the goroutine that made it.
type pair struct{ x, y int }

func (p pair) getX() int { return p.x }
func (p pair) getY() int { return p.y }

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) getX() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x
}

func (c *coord) getXY() pair {
	c.mu.Lock()
	defer c.mu.Unlock()
	return pair{c.x, c.y}
}

func (c *coord) setXY(p pair) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = p.x, p.y
}

func t1(c *coord, v int) { c.setXY(pair{v, v}) }

func t2(c *coord) int { return c.getX() }

func t3(c *coord) (x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x = c.x
	pause()
	y = c.y
	return x, y
}

func t4(c *coord) (x, y int) {
	use(c.getX())
	p := c.getXY()
	return p.getX(), p.getY()
}

// use stands for work with values that concerns nobody else.
func use(...int) {}

// Run starts ten of each thread.
func Run() {
	c := new(coord)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { t1(c, i) })
		wg.Go(func() { use(t2(c)) })
		wg.Go(func() { use(t3(c)) })
		wg.Go(func() { use(t4(c)) })
	}
	wg.Wait()
}
