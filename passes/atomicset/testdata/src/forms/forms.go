// Package forms has directives in all forms: each set is broken, which shows
// that it is there.
package forms

import "sync"

var mu sync.Mutex

// Above has its directive on a line of its own.
type Above struct {
	mu sync.Mutex
	//atomvet:set above
	n int
}

// Inc is two steps.
func (a *Above) Inc() {
	a.mu.Lock()
	n := a.n
	a.mu.Unlock()
	a.mu.Lock()
	a.n = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Above\)\.Inc is not .*, if another \(\*Above\)\.Inc comes`
	a.mu.Unlock()
}

// Doc has it in a comment with more.
type Doc struct {
	mu sync.Mutex
	// n is the number.
	//
	//atomvet:set doc
	n int
}

// Inc is two steps.
func (d *Doc) Inc() {
	d.mu.Lock()
	n := d.n
	d.mu.Unlock()
	d.mu.Lock()
	d.n = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Doc\)\.Inc is not .*, if another \(\*Doc\)\.Inc comes`
	d.mu.Unlock()
}

// Trailing has it behind the field.
type Trailing struct {
	mu sync.Mutex
	n  int //atomvet:set trailing
}

// Inc is two steps.
func (t *Trailing) Inc() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	t.mu.Lock()
	t.n = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Trailing\)\.Inc is not .*, if another \(\*Trailing\)\.Inc comes`
	t.mu.Unlock()
}

// Several has several fields in one line, and a field in two sets.
type Several struct {
	mu   sync.Mutex
	a, b int //atomvet:set several
	//atomvet:set first
	//atomvet:set second
	c int
	d int //atomvet:set first
	e int //atomvet:set second
}

// Sum is two steps.
func (s *Several) Sum() int {
	s.mu.Lock()
	a := s.a
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return a + s.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Several\)\.Sum is not .*, if \(\*Several\)\.Set comes`
}

// Set is one.
func (s *Several) Set(a, b int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a, s.b = a, b
}

// CD breaks one set of c.
func (s *Several) CD() int {
	s.mu.Lock()
	c := s.c
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return c + s.d // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Several\)\.CD is not .*, if \(\*Several\)\.SetAll comes`
}

// CE breaks the other.
func (s *Several) CE() int {
	s.mu.Lock()
	c := s.c
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return c + s.e // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Several\)\.CE is not .*, if \(\*Several\)\.SetAll comes`
}

// DE is fine: d and e are in no common set.
func (s *Several) DE() int {
	s.mu.Lock()
	d := s.d
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return d + s.e
}

// SetAll is one step.
func (s *Several) SetAll(c, d, e int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c = c
	s.d = d
	s.e = e
}

// Nested has a struct in it.
type Nested struct {
	mu    sync.Mutex
	a     int //atomvet:set nested
	stats struct {
		b    int //atomvet:set nested
		more struct {
			c int //atomvet:set nested
		}
	}
}

// Set is one step.
func (n *Nested) Set(a, b, c int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.a = a
	n.stats.b = b
	n.stats.more.c = c
}

// AB is two.
func (n *Nested) AB() int {
	n.mu.Lock()
	a := n.a
	n.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	return a + n.stats.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Nested\)\.AB is not .*, if \(\*Nested\)\.Set comes`
}

// BC is two.
func (n *Nested) BC() int {
	n.mu.Lock()
	b := n.stats.b
	n.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	return b + n.stats.more.c // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Nested\)\.BC is not .*, if \(\*Nested\)\.Set comes`
}

// Inner is embedded.
type Inner struct {
	a int //atomvet:set embedded
}

// Outer embeds it, and its set has the field of both.
type Outer struct {
	Inner
	mu sync.Mutex
	b  int //atomvet:set embedded
}

// Set is one step.
func (o *Outer) Set(a, b int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.a = a
	o.b = b
}

// Apart is two.
func (o *Outer) Apart() int {
	o.mu.Lock()
	a := o.a
	o.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	return a + o.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Outer\)\.Apart is not .*, if \(\*Outer\)\.Set comes`
}

// PointerInner is embedded by pointer.
type PointerInner struct {
	a int //atomvet:set pointer
}

// PointerOuter embeds it.
type PointerOuter struct {
	*PointerInner
	mu sync.Mutex
	b  int //atomvet:set pointer
}

// Set is one step.
func (o *PointerOuter) Set(a, b int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.a = a
	o.b = b
}

// Apart is two.
func (o *PointerOuter) Apart() int {
	o.mu.Lock()
	a := o.a
	o.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	return a + o.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*PointerOuter\)\.Apart is not .*, if \(\*PointerOuter\)\.Set comes`
}

// Embedding marks the embedded field itself.
type Embedding struct {
	mu    sync.Mutex
	Plain     //atomvet:set embedding
	b     int //atomvet:set embedding
}

// Plain has no set.
type Plain struct{ a int }

// Set is one step.
func (e *Embedding) Set(a, b int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.a = a
	e.b = b
}

// Apart is two.
func (e *Embedding) Apart() int {
	e.mu.Lock()
	a := e.a
	e.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return a + e.b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Embedding\)\.Apart is not .*, if \(\*Embedding\)\.Set comes`
}

// Package variables, in a block and alone.
var (
	a int //atomvet:set variables
	//atomvet:set variables
	b, c int
)

//atomvet:set variables
var d int

// SetVariables is one step.
func SetVariables() {
	mu.Lock()
	defer mu.Unlock()
	a = 1
	b = 1
	c = 1
	d = 1
}

// AB is two.
func AB() int {
	mu.Lock()
	x := a
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return x + b // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): AB is not .*, if SetVariables comes`
}

// CD is two.
func CD() int {
	mu.Lock()
	x := c
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return x + d // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): CD is not .*, if SetVariables comes`
}

// Generic has a type parameter.
type Generic[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V //atomvet:set generic
	n  int     //atomvet:set generic
}

// Put is one step.
func (g *Generic[K, V]) Put(k K, v V) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.m[k] = v
	g.n++
}

// Apart is two.
func (g *Generic[K, V]) Apart() (int, int) {
	g.mu.Lock()
	n := len(g.m)
	g.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	return n, g.n // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Generic\[K, V\]\)\.Apart is not .*, if \(\*Generic\[K, V\]\)\.Put comes`
}

// Of calls two units of a generic type in one of its own.
//
//atomvet:unitfor g
func Of[V any](g *Generic[int, V], v V) {
	_, n := g.Apart()
	g.Put(n, v) // want `^R\(a\) W'\(a\) W\(a\): Of is not .*, if \(\*Generic\[K, V\]\)\.Put comes`
}

type (
	// Grouped is declared with others.
	Grouped struct {
		mu sync.Mutex
		n  int //atomvet:set grouped
	}
)

// Inc is two steps.
//
//atomvet:unit
func (g *Grouped) Inc() { g.set(g.get() + 1) } // want `^R\(a\) W'\(a\) W\(a\): \(\*Grouped\)\.Inc is not .*, if another \(\*Grouped\)\.Inc comes`

func (g *Grouped) get() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

func (g *Grouped) set(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n = n
}

// Self is a unit for its receiver by name, which it is anyway.
//
//atomvet:unitfor g
//atomvet:unitfor other
func (g *Grouped) Self(other *Grouped) {
	other.mu.Lock()
	n := other.n
	other.mu.Unlock()
	other.mu.Lock()
	other.n = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Grouped\)\.Self is not .*, if \(\*Grouped\)\.Inc comes`
	other.mu.Unlock()
}
