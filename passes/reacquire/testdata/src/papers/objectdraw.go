// Package papers has the programs of the paper about context and witness locks,
// and of its neighbours, as far as something is wrong with them.
package papers

import (
	"math"
	"sync"
)

// ObjectDraw: a line asks a point twice where it is.

type Point struct{ X, Y float64 }

type Location struct {
	mu   sync.Mutex
	x, y float64
}

func (l *Location) Translate(dx, dy float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.x += dx
	l.y += dy
}

func (l *Location) DistanceTo(p Point) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return math.Hypot(l.x-p.X, l.y-p.Y)
}

func (l *Location) Position() Point {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Point{l.x, l.y}
}

type Line struct {
	mu         sync.Mutex
	start, end Point
	length     float64
}

func (l *Line) SetEnd(p Point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = p
	l.length = math.Hypot(p.X-l.start.X, p.Y-l.start.Y)
}

func (l *Line) Contains(p *Location) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.DistanceTo(l.start)+p.DistanceTo(l.end) == l.length // want `reacquire: p\.mu is taken again here, after line 54, in one critical section of l\.mu; what the first passage reads of p\.x may be changed in between by \(\*Location\)\.Translate`
}

// Variables instead of one expression, and unlocking by hand.
func (l *Line) Near(p *Location, eps float64) bool {
	l.mu.Lock()
	from := p.DistanceTo(l.start)
	to := p.DistanceTo(l.end) // want `reacquire: p\.mu is taken again here, after line 60, in one critical section of l\.mu; what the first passage reads of p\.x may be changed in between by \(\*Location\)\.Translate`
	length := l.length
	l.mu.Unlock()
	return from+to <= length+eps
}

func (l *Line) ContainsOnce(p *Location) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := p.Position()
	return math.Hypot(at.X-l.start.X, at.Y-l.start.Y)+math.Hypot(at.X-l.end.X, at.Y-l.end.Y) == l.length
}

// Two points: each is asked once.
func (l *Line) Between(p, q *Location) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.DistanceTo(l.start) < q.DistanceTo(l.start)
}

// A box asks another for its place and its size.

type Box struct {
	mu         sync.Mutex
	x, y, w, h float64
}

func (b *Box) X() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x
}

func (b *Box) Y() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.y
}

func (b *Box) Width() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w
}

func (b *Box) Height() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.h
}

func (b *Box) MoveTo(x, y float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y = x, y
}

func (b *Box) Reshape(x, y, w, h float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y, b.w, b.h = x, y, w, h
}

func (b *Box) Bounds() (x, y, w, h float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x, b.y, b.w, b.h
}

// The context is a lock of another kind. Boxes among each other are in package
// known.

type Canvas struct {
	mu         sync.Mutex
	x, y, w, h float64
}

func (c *Canvas) Shows(o *Box) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ox := o.X()
	oy := o.Y()      // want `reacquire: o\.mu is taken again here, after line 141, in one critical section of c\.mu; what the first passage reads of o\.x may be changed in between by \(\*Box\)\.MoveTo`
	ow := o.Width()  // want `reacquire: o\.mu is taken again here, after line 142, in one critical section of c\.mu; what the first passage reads of o\.y may be changed in between by \(\*Box\)\.MoveTo`
	oh := o.Height() // want `reacquire: o\.mu is taken again here, after line 143, in one critical section of c\.mu; what the first passage reads of o\.w may be changed in between by \(\*Box\)\.Reshape`
	return ox < c.x+c.w && c.x < ox+ow && oy < c.y+c.h && c.y < oy+oh
}

func (c *Canvas) Area(o *Box) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.Width() * o.Height() // want `reacquire: o\.mu is taken again here, after line 151, in one critical section of c\.mu; what the first passage reads of o\.w may be changed in between by \(\*Box\)\.Reshape`
}

func (c *Canvas) ShowsOnce(o *Box) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ox, oy, ow, oh := o.Bounds()
	return ox < c.x+c.w && c.x < ox+ow && oy < c.y+c.h && c.y < oy+oh
}

func (b *Box) IntersectsOnce(o *Box) bool {
	ox, oy, ow, oh := o.Bounds()
	b.mu.Lock()
	defer b.mu.Unlock()
	return ox < b.x+b.w && b.x < ox+ow && oy < b.y+b.h && b.y < oy+oh
}
