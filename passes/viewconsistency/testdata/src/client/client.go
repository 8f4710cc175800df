// Package client uses package point, of which it knows no more than the facts.
package client

import "point"

func Norm(p *point.Point) int {
	x := p.X()
	y := p.Y() // want `split-read: p\.x at line 7 and p\.y here are read apart, in separate critical sections, but written together by \(\*Point\)\.Set under Point\.mu \(point\.go:53\)`
	return x*x + y*y
}

func NormAtOnce(p *point.Point) int {
	x, y := p.XY()
	return x*x + y*y
}

func Reset(p *point.Point) {
	p.SetX(0)
	p.SetY(0) // want `split-write: p\.x at line 18 and p\.y here are written apart, in separate critical sections`
}

func ResetAtOnce(p *point.Point) { p.Set(0, 0) }

// Unrelated fields.
func Label(p *point.Point) (string, int) { return p.Tag(), p.X() }

// Two objects.
func Cross(a, b *point.Point) int { return a.X() * b.Y() }

// A sprite has one in a field.
type sprite struct {
	at *point.Point
	on bool
}

func (s *sprite) Offset(width int) int {
	return s.at.Y()*width + s.at.X() // want `split-read: s\.at\.y at line 37 and s\.at\.x here are read apart, in separate critical sections`
}

func (s *sprite) OffsetAtOnce(width int) int {
	x, y := s.at.XY()
	return y*width + x
}

// x and y pass on what the accessors say.
func (s *sprite) x() int { return s.at.X() }
func (s *sprite) y() int { return s.at.Y() }

func (s *sprite) Slope() int {
	return s.y() / s.x() // want `split-read: s\.at\.y at line 50 and s\.at\.x here are read apart, in separate critical sections`
}

// A tagged point embeds one.
type tagged struct {
	*point.Point
	title string
}

func (t tagged) Sum() int {
	return t.X() + t.Y() // want `split-read: t\.Point\.x at line 60 and t\.Point\.y here are read apart, in separate critical sections`
}

// The writer is in this package, and in terms of the other's: through one call
// under a lock of the other's, so the pair is known by its facts.
func (t tagged) Centre() { t.Set(0, 0) }

// Generic types.
func Value(c *point.Cell[string]) (string, error) {
	return c.Value(), c.Err() // want `split-read: c\.val at line 69 and c\.err here are read apart, in separate critical sections`
}

func ValueAtOnce(c *point.Cell[string]) (string, error) { return c.Get() }

// Package variables behind functions.
func Scaled(v float64) float64 {
	return v*point.Scale() + point.Offset() // want `split-read: scale at line 76 and off here are read apart, in separate critical sections`
}

// An interface that the point implements.
type planar interface {
	X() int
	Y() int
}

var _ planar = (*point.Point)(nil)

func area(p planar) int {
	return p.X() * p.Y() // want `split-read: p\.x at line 88 and p\.y here are read apart, in separate critical sections`
}

func Area(p *point.Point) int { return area(p) }

// announce computes both values of a Tx, which are memoized.
func announce(t *point.Tx, send func(hash, size int64)) { send(t.Hash(), t.Size()) }

func Announce(all []*point.Tx, send func(hash, size int64)) {
	for _, t := range all {
		announce(t, send)
	}
}

func Fees(t *point.Tx, rate int64) (int64, int64) {
	size := t.Size()
	if size*rate > 1000 {
		return 0, 0
	}
	return t.Hash(), size
}

// Keep enters what the goroutine may have removed, in a table of another package.
func Keep(t *point.Table, name string, wait func()) {
	go func() {
		wait()
		t.Remove(name)
	}()
	t.Add(name, 1) // want `early-signal: t\.m\[name\] is entered here, after the goroutine that looks for it was started at line \d+`
}
