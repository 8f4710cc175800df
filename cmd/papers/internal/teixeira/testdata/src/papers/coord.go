package papers

import "sync"

// Coord03: only setXY writes.

type pair struct{ x, y int }

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) getX() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x
}

func (c *coord) getY() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.y
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

func t1(c *coord) { c.setXY(pair{1, 1}) }

func t2(c *coord) int { return c.getX() }

func t3(c *coord) int {
	x := c.getX()
	return x + c.getY() // want `RwR: coord.x is read at line \d+ .* and coord.y here .* written by \(\*coord\).setXY`
}

// t4 is right, but for x there is another y.
func t4(c *coord) int {
	x := c.getX()
	p := c.getXY() // want `RwR: coord.x is read at line \d+ .* and coord.y here`
	return x + p.x + p.y
}

func runCoord(c *coord) {
	go t1(c)
	go t2(c)
	go t3(c)
	go t4(c)
}

// Coord04: the threat of two writes is a read of the first.

type point struct {
	mu   sync.Mutex
	x, y int
}

func (p *point) swap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = p.y, p.x
}

func (p *point) resetX() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = 0
}

func (p *point) resetY() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.y = 0
}

func (p *point) reset() {
	p.resetX()
	p.resetY() // want `WrW: point.x is written at line \d+ .* and point.y here .* it may be read by \(\*point\).swap$`
}

// clear is one critical section.
func (p *point) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = 0
	p.y = 0
}

func runPoint(p *point) {
	go p.swap()
	go p.reset()
	go p.clear()
}

// Nobody reads what is written here in two steps.

type sink struct {
	mu   sync.Mutex
	a, b int
}

func (s *sink) setA() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a = 1
}

func (s *sink) setB() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = 1
}

func (s *sink) fill() {
	s.setA()
	s.setB()
}

func runSink(s *sink) {
	go s.fill()
	go s.fill()
}
