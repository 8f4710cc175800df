// Package known has what the analyzer gets wrong.
package known

import (
	"sync"
	"sync/atomic"

	"base"
)

var mu sync.Mutex

// Out has in its set a field of what it embeds, and only calls methods.
type Out struct {
	In
	m int //atomvet:set promoted
}

// In is embedded.
type In struct {
	mu sync.Mutex
	n  int //atomvet:set promoted
}

// Get is one step.
func (i *In) Get() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.n
}

// Set is one step.
func (i *In) Set(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.n = n
}

// Inc is an exported method of Out.
func (o *Out) Inc() {
	o.Set(o.Get() + 1) // want `promoted of Out`
}

// Else embeds the same type.
type Else struct{ In }

// Inc is a unit, but not of Out.
//
//atomvet:unit
func (e *Else) Inc() {
	e.Set(e.Get() + 1) // FALSE: promoted of Out: an In in another struct is taken for that of an Out
}

// Whole has a struct as the only member.
type Whole struct {
	mu sync.Mutex
	d  struct{ a, b int } //atomvet:set whole
}

// Set is one step.
func (w *Whole) Set(a, b int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.d.a = a
	w.d.b = b
}

// Apart is two.
func (w *Whole) Apart() int {
	w.mu.Lock()
	a := w.d.a
	w.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return a + w.d.b // MISSED: R(a) W'(a) R(a): d.a and d.b are locations of their own, not those of the set, so there is no candidate
}

// Object is assigned as a whole.
type Object struct {
	a, b int //atomvet:set object
}

// Reset is one step.
func (o *Object) Reset(p Object) {
	mu.Lock()
	defer mu.Unlock()
	*o = p
}

// Set is one step.
func (o *Object) Set(a, b int) {
	mu.Lock()
	defer mu.Unlock()
	o.a = a
	o.b = b
}

// Copies is two.
func (o *Object) Copies() int {
	mu.Lock()
	p := *o
	mu.Unlock()
	mu.Lock()
	q := *o // MISSED: R(a) W'(a) W'(b) R(b): a copy of the object reads no field
	mu.Unlock()
	return p.a + q.b
}

// Sum has a value as its receiver: it is the call that reads.
func (o Object) Sum() int { return o.a + o.b }

// Unlocked calls it without a lock.
func (o *Object) Unlocked() int {
	return o.Sum() // MISSED: R(a) W'(a) W'(b) R(b): the copy for the call reads no field
}

// Address gives its field away.
type Address struct {
	n int //atomvet:set address
}

func inc(n *int) { *n++ }

// Inc is one step.
func (a *Address) Inc() {
	mu.Lock()
	defer mu.Unlock()
	a.n++
}

// Apart is two.
func (a *Address) Apart() {
	mu.Lock()
	n := a.n
	mu.Unlock()
	if n > 0 {
		mu.Lock()
		inc(&a.n) // MISSED: R(a) W'(a) W(a): what is written through a pointer that a call gets is no access
		mu.Unlock()
	}
}

type node struct {
	next *node
	v    int
}

// List has a node that is always the first.
type List struct {
	head *node //atomvet:set nodes
}

// AddLast is two steps.
func (l *List) AddLast(x int) {
	mu.Lock()
	n := l.head
	for n.next != nil {
		n = n.next
	}
	mu.Unlock()
	mu.Lock()
	n.next = &node{v: x} // MISSED: R(a) W'(a) W(a): head is never assigned, and reads of what is constant are no accesses, so there is no candidate
	mu.Unlock()
}

// Accessor has a function that returns its lock.
type Accessor struct {
	mu   sync.Mutex
	a, b int //atomvet:set accessor
}

func (a *Accessor) lock() *sync.Mutex { return &a.mu }

// Set is one step.
func (a *Accessor) Set(x, y int) {
	a.lock().Lock()
	defer a.lock().Unlock()
	a.a = x
	a.b = y
}

// Claim is changed by compare and swap.
type Claim struct {
	n atomic.Int64 //atomvet:set claim
}

// Double is right: what was loaded is still there when it is swapped.
func (c *Claim) Double() {
	for {
		n := c.n.Load()
		if c.n.CompareAndSwap(n, 2*n) {
			return
		}
	}
}

// Version is changed optimistically.
type Version struct {
	mu sync.Mutex
	v  int //atomvet:set version
	x  int //atomvet:set version
}

// Update writes only if nobody else has.
func (v *Version) Update(f func(int) int) {
	for {
		v.mu.Lock()
		old, x := v.v, v.x
		v.mu.Unlock()
		x = f(x)
		v.mu.Lock()
		if v.v == old {
			v.x = x // FALSE: another (*Version).Update: data is left out, so the check decides nothing
			v.v++   // FALSE: another (*Version).Update: the same
			v.mu.Unlock()
			return
		}
		v.mu.Unlock()
	}
}

// Cache is filled when needed.
type Cache struct {
	mu sync.RWMutex
	m  map[string]int //atomvet:set cache
}

// Get looks again when it has the lock for writing.
func (c *Cache) Get(k string) int {
	c.mu.RLock()
	n, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.m[k]; ok {
		return n
	}
	c.m[k] = 1 // FALSE: another (*Cache).Get: the first read counts, though the second one decides
	return 1
}

// Gate is a channel used as a lock.
type Gate struct {
	gate chan struct{}
	x, y int //atomvet:set gate
}

// NewGate makes one.
func NewGate() *Gate { return &Gate{gate: make(chan struct{}, 1)} }

// Set is one step.
func (g *Gate) Set(x, y int) {
	g.gate <- struct{}{}
	g.x = x
	g.y = y
	<-g.gate
}

// Try is one, too.
func (g *Gate) Try() int {
	select {
	case g.gate <- struct{}{}:
		n := g.x + g.y
		<-g.gate
		return n
	default:
		return 0
	}
}

// Local makes an object that a goroutine works on.
//
//atomvet:unit
func Local() int {
	s := new(shared)
	go s.set()
	return s.getX() + s.getY() // want `R\(a\) W'\(a\) W'\(b\) R\(b\): Local is not one atomic step for the atomic set shared of shared`
}

type shared struct {
	mu   sync.Mutex
	x, y int //atomvet:set shared
}

//atomvet:unit
func (s *shared) set() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.x = 1
	s.y = 1
}

func (s *shared) getX() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.x
}

func (s *shared) getY() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.y
}

// Bump holds a lock that the methods of base do not take.
//
//atomvet:unitfor o
func Bump(o *base.Open) {
	mu.Lock()
	defer mu.Unlock()
	o.Mu.Lock()
	x := o.X
	o.Mu.Unlock()
	o.Mu.Lock()
	o.X = x + 1 // want `R\(a\) W'\(a\) W\(a\): Bump is not one`
	o.Mu.Unlock()
}

// Directives that should be errors.

/*atomvet:unit*/ // MISSED: directive: a comment of another kind
func block()     {}
