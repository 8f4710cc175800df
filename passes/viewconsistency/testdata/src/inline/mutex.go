// Package inline has critical sections in the functions themselves: with all
// kinds of locks, in loops, in literals, and in callees that interrupt them.
package inline

import (
	"runtime"
	"sync"
)

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) Set(x, y int) {
	c.mu.Lock()
	c.x, c.y = x, y
	c.mu.Unlock()
}

func (c *coord) Norm() int {
	c.mu.Lock()
	x := c.x
	c.mu.Unlock()
	c.mu.Lock()
	y := c.y // want `split-read: c\.x at line 23 and c\.y here are read apart, in separate critical sections, but written together by \(\*coord\)\.Set under coord\.mu \(mutex\.go:17\)`
	c.mu.Unlock()
	return x*x + y*y
}

func (c *coord) NormAtOnce() int {
	c.mu.Lock()
	x, y := c.x, c.y
	c.mu.Unlock()
	return x*x + y*y
}

func (c *coord) NormDeferred() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.x
	y := c.y
	return x*x + y*y
}

// Reset is one update in two steps: NormAtOnce may come in between.
func (c *coord) Reset() {
	c.mu.Lock()
	c.x = 0
	c.mu.Unlock()
	c.mu.Lock()
	c.y = 0 // want `split-write: c\.x at line 49 and c\.y here are written apart, in separate critical sections`
	c.mu.Unlock()
}

func (c *coord) ResetAtOnce() {
	c.mu.Lock()
	c.x = 0
	c.y = 0
	c.mu.Unlock()
}

// Either takes one of the two, never both.
func (c *coord) Either(first bool) int {
	if first {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.x
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.y
}

// Sometimes splits the pair on one of two ways.
func (c *coord) Sometimes(pause bool) int {
	c.mu.Lock()
	x := c.x
	if pause {
		c.mu.Unlock()
		runtime.Gosched()
		c.mu.Lock()
	}
	y := c.y // want `split-read: c\.x at line 78 and c\.y here are read apart, in separate critical sections`
	c.mu.Unlock()
	return x - y
}

// Two objects have nothing to do with each other.
func Distance(a, b *coord) int {
	a.mu.Lock()
	x := a.x
	a.mu.Unlock()
	b.mu.Lock()
	y := b.y
	b.mu.Unlock()
	return x - y
}

// The same object through a field.
type ship struct {
	pos *coord
}

func (s *ship) Heading() int {
	s.pos.mu.Lock()
	x := s.pos.x
	s.pos.mu.Unlock()
	s.pos.mu.Lock()
	y := s.pos.y // want `split-read: s\.pos\.x at line 107 and s\.pos\.y here are read apart, in separate critical sections`
	s.pos.mu.Unlock()
	return x / y
}

// Two elements of a list are two objects, the same one twice is one.
func Elements(list []*coord, i, j int) (int, int) {
	list[i].mu.Lock()
	x := list[i].x
	list[i].mu.Unlock()
	list[j].mu.Lock()
	y := list[j].y
	list[j].mu.Unlock()
	list[i].mu.Lock()
	z := list[i].y // want `split-read: list\[…\]\.x at line 118 and list\[…\]\.y here are read apart, in separate critical sections`
	list[i].mu.Unlock()
	return x + y, x + z
}

// Three fields, of which one comes too late: one report.

type record struct {
	mu          sync.Mutex
	name, owner string
	size        int
}

func (r *record) Fill(name, owner string, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name = name
	r.owner = owner
	r.size = size
}

func (r *record) Read() (string, string, int) {
	r.mu.Lock()
	name, owner := r.name, r.owner
	r.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return name, owner, r.size // want `split-read: r\.owner at line 147 and r\.size here are read apart, in separate critical sections`
}

func (r *record) ReadAtOnce() (string, string, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name, r.owner, r.size
}
