// Package point has types that lock in their methods, and uses them. Others use
// them by what the facts about this package say: see package client.
package point

import "sync"

// A Point locks by itself.
type Point struct {
	mu   sync.Mutex
	x, y int
	tag  string
}

// X returns a coordinate.
func (p *Point) X() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x
}

// Y returns the other.
func (p *Point) Y() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.y
}

// XY returns both.
func (p *Point) XY() (int, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x, p.y
}

// SetX sets a coordinate.
func (p *Point) SetX(x int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = x
}

// SetY sets the other.
func (p *Point) SetY(y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.y = y
}

// Set sets both.
func (p *Point) Set(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = x, y
}

// Tag has nothing to do with them.
func (p *Point) Tag() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tag
}

// SetTag sets it.
func (p *Point) SetTag(tag string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tag = tag
}

func (p *Point) Norm() int {
	return p.X()*p.X() + p.Y()*p.Y() // want `split-read: p\.x at line 71 and p\.y here are read apart, in separate critical sections, but written together by \(\*Point\)\.Set under Point\.mu \(point\.go:53\)`
}

func (p *Point) NormAtOnce() int {
	x, y := p.XY()
	return x*x + y*y
}

func (p *Point) Reset() {
	p.SetX(0)
	p.SetY(0) // want `split-write: p\.x at line 80 and p\.y here are written apart, in separate critical sections`
}

func (p *Point) ResetAtOnce() { p.Set(0, 0) }

func Move(p *Point, by int) {
	p.SetX(by)
	p.SetY(by) // want `split-write: p\.x at line 87 and p\.y here are written apart, in separate critical sections`
}

// One step puts in what the other does not know of.
func (p *Point) Name(n int, tag string) {
	p.SetX(n)
	p.SetTag(tag)
}

// Halfway takes one by a call, and the other in line.
func (p *Point) Halfway() int {
	x := p.X()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x - p.y // want `split-read: p\.x at line 99 and p\.y here are read apart, in separate critical sections`
}

// Label reads what is never changed together.
func (p *Point) Label() (string, int) { return p.Tag(), p.X() }

// A Planar is a Point, seen from far.
type Planar interface {
	X() int
	Y() int
	XY() (int, int)
}

func Area(p Planar) int {
	return p.X() * p.Y() // want `split-read: p\.x at line 116 and p\.y here are read apart, in separate critical sections`
}

func AreaAtOnce(p Planar) int {
	x, y := p.XY()
	return x * y
}

// Wrapped passes through a method that only calls.
type Wrapped struct{ p *Point }

func (w Wrapped) x() int { return w.p.X() }
func (w Wrapped) y() int { return w.p.Y() }

func (w Wrapped) Sum() int {
	return w.x() + w.y() // want `split-read: w\.p\.x at line 131 and w\.p\.y here are read apart, in separate critical sections`
}

// Two objects.
func Cross(a, b *Point) int { return a.X() * b.Y() }

// A Cell is generic.
type Cell[T any] struct {
	mu  sync.RWMutex
	val T
	err error
}

// Value returns what there is.
func (c *Cell[T]) Value() T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.val
}

// Err returns why there is nothing.
func (c *Cell[T]) Err() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.err
}

// Get returns both.
func (c *Cell[T]) Get() (T, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.val, c.err
}

// Put sets both.
func (c *Cell[T]) Put(v T, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.val, c.err = v, err
}

var (
	scaleMu    sync.Mutex
	scale, off float64
)

// Scale returns a package variable.
func Scale() float64 {
	scaleMu.Lock()
	defer scaleMu.Unlock()
	return scale
}

// Offset returns the other.
func Offset() float64 {
	scaleMu.Lock()
	defer scaleMu.Unlock()
	return off
}

// Calibrate sets both.
func Calibrate(s, o float64) {
	scaleMu.Lock()
	defer scaleMu.Unlock()
	scale, off = s, o
}

// Scaled uses both.
func Scaled(v float64) float64 {
	return v*Scale() + Offset() // want `split-read: scale at line 200 and off here are read apart, in separate critical sections, but written together by Calibrate`
}

// One line, one report of each point.
func Compare(p, q *Point) bool {
	return p.X()*p.Y() < q.X()*q.Y() // want `split-read: p\.x at line 205 and p\.y here are read apart` `split-read: q\.x at line 205 and q\.y here are read apart`
}

// A Table has numbers by name.
type Table struct {
	mu sync.Mutex
	m  map[string]int
}

func NewTable() *Table { return &Table{m: make(map[string]int)} }

func (t *Table) Add(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[name] = n
}

func (t *Table) Remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, name)
}
