// Package calls has units of work that go through interfaces, generic types,
// function values and recursion.
package calls

import "sync"

// A Source has a length and elements.
type Source interface {
	Len() int
	First() int
}

// A List is a Source.
type List struct {
	mu    sync.Mutex
	n     int   //atomvet:set list
	elems []int //atomvet:set list
}

// Len returns the length.
func (l *List) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// First returns an element.
func (l *List) First() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.elems[0]
}

// Clear removes all.
func (l *List) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = 0
	l.elems = nil
}

// FirstOf asks twice.
//
//atomvet:unitfor s
func FirstOf(s Source) int {
	if s.Len() == 0 {
		return 0
	}
	return s.First() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): FirstOf is not .*, if \(\*List\)\.Clear comes`
}

// Locked is called through an interface, and holds the lock.
func (l *List) Locked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return sum(view{l})
}

type summer interface{ total() int }

type view struct{ l *List }

func (v view) total() int { return v.l.n + len(v.l.elems) }

func sum(s summer) int { return s.total() }

// Box is generic.
type Box[T any] struct {
	mu sync.Mutex
	v  T    //atomvet:set box
	ok bool //atomvet:set box
}

// Put is one step.
func (b *Box[T]) Put(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.v = v
	b.ok = true
}

// Get is one too.
func (b *Box[T]) Get() (v T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.v, b.ok
}

// Apart is two.
func (b *Box[T]) Apart() (v T, ok bool) {
	b.mu.Lock()
	ok = b.ok
	b.mu.Unlock()
	b.mu.Lock()
	v = b.v // want `^R\(a\) W'\(b\) W'\(a\) R\(b\): \(\*Box\[T\]\)\.Apart is not .*, if \(\*Box\[T\]\)\.Put comes`
	b.mu.Unlock()
	return v, ok
}

// Tree is walked recursively.
type Tree struct {
	mu          sync.Mutex
	left, right *Tree
	n           int //atomvet:set tree
	sum         int //atomvet:set tree
}

// Add is one step.
func (t *Tree) Add(x int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addLocked(x)
}

// addLocked calls itself with the lock held.
func (t *Tree) addLocked(x int) {
	if x == 0 {
		t.n++
		return
	}
	t.sum++
	t.addLocked(x - 1)
}

// Count calls itself without the lock.
func (t *Tree) Count(depth int) int {
	if depth == 0 {
		return 0
	}
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	return n + t.Count(depth-1) // want `^R\(a\) W'\(a\) R\(a\): \(\*Tree\)\.Count is not .*, if \(\*Tree\)\.Add comes`
}

// Drop writes once in each round.
func (t *Tree) Drop(depth int) {
	if depth == 0 {
		return
	}
	t.Drop(depth - 1)
	t.mu.Lock()
	t.sum-- // want `^R\(a\) W'\(a\) W\(a\): \(\*Tree\)\.Drop is not .*, if another \(\*Tree\)\.Drop comes`
	t.mu.Unlock()
}

// Balance is one step, of two functions that call each other.
func (t *Tree) Balance(x int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.even(x)
}

func (t *Tree) even(x int) {
	if x > 0 {
		t.n++
		t.odd(x - 1)
	}
}

func (t *Tree) odd(x int) {
	if x > 0 {
		t.sum++
		t.even(x - 1)
	}
}

// Funcs takes functions.
type Funcs struct {
	mu   sync.Mutex
	x, y int //atomvet:set funcs
}

// Set is one step.
func (f *Funcs) Set(x, y int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.x = x
	f.y = y
}

func (f *Funcs) getX() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.x
}

func (f *Funcs) getY() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.y
}

// Values calls method values.
func (f *Funcs) Values() int {
	a, b := f.getX, f.getY
	return a() + b() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Funcs\)\.Values is not .*, if \(\*Funcs\)\.Set comes`
}

// Literals calls function literals.
func (f *Funcs) Literals() int {
	x := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.x
	}
	y := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.y
	}
	return x() + y() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Funcs\)\.Literals is not .*, if \(\*Funcs\)\.Set comes`
}

// each calls g for each.
func (f *Funcs) each(g func(int)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g(f.x)
	g(f.y)
}

// Total is one step: the literal is called with the lock held.
func (f *Funcs) Total() (n int) {
	f.each(func(x int) { n += x + f.x })
	return n
}

type account interface{ inc() }

type good struct {
	mu sync.Mutex
	n  int //atomvet:set good
}

func (g *good) inc() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
}

type bad struct {
	mu sync.Mutex
	n  int //atomvet:set bad
}

func (b *bad) inc() {
	b.mu.Lock()
	n := b.n
	b.mu.Unlock()
	b.mu.Lock()
	b.n = n + 1
	b.mu.Unlock()
}

// IncAccount calls either.
//
//atomvet:unitfor a
func IncAccount(a account) {
	a.inc() // want `^R\(a\) W'\(a\) W\(a\): IncAccount is not .*, if another IncAccount comes`
}
