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
	return x + p.y
}

// Diff holds the lock all the time.
func (p *Pair) Diff() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x - p.y
}

func (p *Pair) getX() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x
}

func (p *Pair) getY() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.y
}

// sum is no unit, and nobody calls it.
func (p *Pair) sum() int { return p.getX() + p.getY() }

// product is a unit.
//
//atomvet:unit
func (p *Pair) product() int { return p.getX() * p.getY() }

// Ratio is none.
//
//atomvet:notunit
func (p *Pair) Ratio() int { return p.getX() / p.getY() }

// Both is a unit, and calls what is none.
func (p *Pair) Both() int { return p.Ratio() }

// Twice calls two units in one of its own: all of it should be one step.
func (p *Pair) Twice() int { return p.Diff() + p.Diff() }

// diffs calls two units, but is none itself.
func (p *Pair) diffs() int { return p.Diff() + p.Diff() }

// Total is a function: not a unit of its parameter without saying so.
func Total(p *Pair) int { return p.getX() + p.getY() }

// TotalUnit is a unit of what it gets.
//
//atomvet:unit
func TotalUnit(p *Pair) int { return p.getX() + p.getY() }

// Copy is one for what it copies from, not for what it copies to.
//
//atomvet:unitfor from
func Copy(to, from *Pair) {
	x := from.getX()
	y := from.getY()
	to.SetX(x)
	to.mu.Lock()
	to.y = y
	to.mu.Unlock()
}

// A Holder has a pair.
type Holder struct{ p *Pair }

// Area is no unit of the pair: the pair is not its receiver.
func (h *Holder) Area() int { return h.p.getX() * h.p.getY() }

// AreaUnit is a unit for all that it reaches.
//
//atomvet:unit
func (h *Holder) AreaUnit() int { return h.p.getX() * h.p.getY() }

// Add is a unit for its parameter too.
//
//atomvet:unitfor p
func (h *Holder) Add(p *Pair) int { return p.getX() + p.getY() }

// Free is not.
func (h *Holder) Free(p *Pair) int { return p.getX() + p.getY() }

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
	b := t.b
	t.mu.Unlock()
	return a + b
}

// A reader's fields are never written after it was made.
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
