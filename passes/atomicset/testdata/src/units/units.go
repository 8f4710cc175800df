// Package units has what is a unit of work, and what is not.
package units

import "sync"

// Pair has two fields that belong together.
type Pair struct {
	mu sync.Mutex
	//atomvet:set pair
	x int
	//atomvet:set pair
	y int
}

// Set is one step.
func (p *Pair) Set(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = x, y
}

// SetX is one step, as it writes nothing else.
func (p *Pair) SetX(x int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = x
}

// Sum is a unit because it is exported.
func (p *Pair) Sum() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Pair\)\.Sum is not .*, if \(\*Pair\)\.Set comes`
}

// Diff holds the lock all the time.
func (p *Pair) Diff() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x - p.y
}

// sum is no unit.
func (p *Pair) sum() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

// product is a unit.
//
//atomvet:unit
func (p *Pair) product() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x * p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Pair\)\.product is not .*, if \(\*Pair\)\.Set comes`
}

// Ratio is none.
//
//atomvet:notunit
func (p *Pair) Ratio() int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x / p.y
}

// Both is a unit, and calls what is none.
func (p *Pair) Both() int { return p.Ratio() } // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Pair\)\.Both is not .*, if \(\*Pair\)\.Set comes`

// Twice calls two units in one of its own: all of it should be one step.
func (p *Pair) Twice() int { return p.Diff() + p.Diff() } // want `^R\(a\) W'\(a\) R\(a\): \(\*Pair\)\.Twice is not .*, if \(\*Pair\)\.SetX comes`

// diffs calls two units, but is none itself.
func (p *Pair) diffs() int { return p.Diff() + p.Diff() }

// Total is a function: no unit without saying so.
func Total(p *Pair) int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y
}

// TotalUnit is a unit of what it gets.
//
//atomvet:unit
func TotalUnit(p *Pair) int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): TotalUnit is not .*, if \(\*Pair\)\.Set comes`
}

// Copy is one for what it copies from, not for what it copies to.
//
//atomvet:unitfor from
func Copy(to, from *Pair) {
	from.mu.Lock()
	x := from.x
	from.mu.Unlock()
	from.mu.Lock()
	y := from.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): Copy is not .*, if \(\*Pair\)\.Set comes`
	from.mu.Unlock()
	to.SetX(x)
	to.mu.Lock()
	to.y = y
	to.mu.Unlock()
}

// A Holder has a pair.
type Holder struct{ p *Pair }

// Area is no unit of the pair: it only calls a method of it.
func (h *Holder) Area() int { return h.p.sum() }

// Direct is one, as it accesses the fields itself.
func (h *Holder) Direct() int {
	h.p.mu.Lock()
	x := h.p.x
	h.p.mu.Unlock()
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	return x + h.p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Holder\)\.Direct is not .*, if \(\*Pair\)\.Set comes`
}

// AreaUnit is a unit for all that it reaches.
//
//atomvet:unit
func (h *Holder) AreaUnit() int {
	p := h.p
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x * p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Holder\)\.AreaUnit is not .*, if \(\*Pair\)\.Set comes`
}

// Add is a unit for its parameter too.
//
//atomvet:unitfor p
func (h *Holder) Add(p *Pair) int {
	p.mu.Lock()
	x := p.x
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return x + p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Holder\)\.Add is not .*, if \(\*Pair\)\.Set comes`
}

// Free is not.
func (h *Holder) Free(p *Pair) int { return p.sum() }

// Two sets of one type: what is read of one of them says nothing about the
// other.
type Two struct {
	mu   sync.Mutex
	a, b int //atomvet:set one
	c    int //atomvet:set two
}

// Move is one step.
func (t *Two) Move(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.a += n
	t.b += n
	t.c += n
}

// Apart reads one location of each set.
func (t *Two) Apart() int {
	t.mu.Lock()
	a := t.a
	t.mu.Unlock()
	t.mu.Lock()
	c := t.c
	t.mu.Unlock()
	return a + c
}

// Split reads two of one.
func (t *Two) Split() int {
	t.mu.Lock()
	a := t.a
	t.mu.Unlock()
	t.mu.Lock()
	b := t.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Two\)\.Split is not .*, if \(\*Two\)\.Move comes`
	t.mu.Unlock()
	return a + b
}

// Fixed is never written after it was made.
type Fixed struct {
	a, b int //atomvet:set fixed
}

// NewFixed makes one.
func NewFixed() *Fixed {
	f := new(Fixed)
	f.a = 1
	f.b = 2
	return f
}

// Sum needs no lock.
func (f *Fixed) Sum() int { return f.a + f.b }

// Shared has units with the same parts.
type Shared struct {
	mu   sync.Mutex
	x, y int //atomvet:set shared
}

// Set is one step.
func (s *Shared) Set(x, y int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.x = x
	s.y = y
}

func (s *Shared) getX() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.x
}

func (s *Shared) getY() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.y
}

// Sum is one of them.
func (s *Shared) Sum() int {
	return s.getX() + s.getY() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Shared\)\.Sum is not .*, if \(\*Shared\)\.Set comes`
}

// Product is another.
func (s *Shared) Product() int {
	return s.getX() * s.getY() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Shared\)\.Product is not .*, if \(\*Shared\)\.Set comes`
}
