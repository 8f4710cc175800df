// Package derived uses the sets of base.
package derived

import (
	"sync"

	"base"
)

// Inc calls two units of base in one of its own.
//
//atomvet:unit
func Inc(c *base.Counter) {
	c.Set(c.Get() + 1) // want `^R\(a\) W'\(a\) W\(a\): Inc is not .*, if another Inc comes`
}

// Once calls one.
//
//atomvet:unit
func Once(c *base.Counter) int { return c.Get() }

// For is a unit for its parameter.
//
//atomvet:unitfor c
func For(c *base.Counter) {
	c.Set(c.Get() + 1) // want `^R\(a\) W'\(a\) W\(a\): For is not .*, if Inc comes`
}

// Free is none.
func Free(c *base.Counter) {
	c.Set(c.Get() + 1)
}

// Span reads fields of base in two sections.
//
//atomvet:unit
func Span(o *base.Open) int {
	o.Mu.Lock()
	x := o.X
	o.Mu.Unlock()
	o.Mu.Lock()
	defer o.Mu.Unlock()
	return o.Y - x // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): Span is not .*, if \(\*Open\)\.Move comes`
}

// SpanOnce reads them in one.
//
//atomvet:unit
func SpanOnce(o *base.Open) int {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	return o.Y - o.X
}

// Wide embeds what base declares, and adds to the set.
type Wide struct {
	base.Open
	mu sync.Mutex
	Z  int //atomvet:set open
}

// MoveAll is one step under the embedded lock.
func (w *Wide) MoveAll(n int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.X += n
	w.Z += n
}

// Sum reads in two sections what MoveAll writes in one.
func (w *Wide) Sum() int {
	w.Mu.Lock()
	x := w.X
	w.Mu.Unlock()
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return x + w.Z // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Wide\)\.Sum is not .*, if \(\*Wide\)\.MoveAll comes`
}

// SumOnce reads in one.
func (w *Wide) SumOnce() int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.X + w.Z
}
