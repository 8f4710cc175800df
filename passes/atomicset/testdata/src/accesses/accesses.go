// Package accesses has the ways to read and write a field, or what it holds.
package accesses

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

var mu sync.Mutex

// Pointer reads and writes through one.
type Pointer struct {
	x int //atomvet:set pointer
}

// Inc is two steps.
func (p *Pointer) Inc() {
	q := &p.x
	mu.Lock()
	n := *q
	mu.Unlock()
	mu.Lock()
	*q = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Pointer\)\.Inc is not .*, if another \(\*Pointer\)\.Inc comes`
	mu.Unlock()
}

// Slice has elements.
type Slice struct {
	s []int //atomvet:set slice
}

// Add writes.
func (s *Slice) Add(x int) {
	mu.Lock()
	defer mu.Unlock()
	s.s = append(s.s, x)
}

// Sort writes elements, in another package.
func (s *Slice) Sort() {
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(s.s)
}

// Last is two steps: the length is read, too.
func (s *Slice) Last() int {
	mu.Lock()
	n := len(s.s)
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return s.s[n-1] // want `^R\(a\) W'\(a\) R\(a\): \(\*Slice\)\.Last is not .*, if \(\*Slice\)\.Add comes`
}

// Max is one.
func (s *Slice) Max() int {
	mu.Lock()
	defer mu.Unlock()
	return slices.Max(s.s)
}

// Array has elements under locks of their own.
type Array struct {
	mu [8]sync.Mutex
	n  [8]int //atomvet:set array
}

// Inc is one step.
func (a *Array) Inc(i int) {
	a.mu[i].Lock()
	a.n[i]++
	a.mu[i].Unlock()
}

// Apart is two.
func (a *Array) Apart(i int) {
	a.mu[i].Lock()
	n := a.n[i]
	a.mu[i].Unlock()
	a.mu[i].Lock()
	a.n[i] = n + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*Array\)\.Apart is not .*, if \(\*Array\)\.Inc comes`
	a.mu[i].Unlock()
}

// Map has values.
type Map struct {
	m map[string]int //atomvet:set map
}

// Put is one step.
func (m *Map) Put(k string) {
	mu.Lock()
	defer mu.Unlock()
	m.m[k]++
}

// Sum takes the keys first, and then each value.
func (m *Map) Sum() (n int) {
	mu.Lock()
	var keys []string
	for k := range m.m {
		keys = append(keys, k)
	}
	mu.Unlock()
	for _, k := range keys {
		mu.Lock()
		n += m.m[k] // want `^R\(a\) W'\(a\) R\(a\): \(\*Map\)\.Sum is not .*, if \(\*Map\)\.Put comes`
		mu.Unlock()
	}
	return n
}

// Buffer has a type of another package: its methods read or write.
type Buffer struct {
	buf bytes.Buffer     //atomvet:set buffer
	b   *strings.Builder //atomvet:set builder
}

// Write is one step.
func (b *Buffer) Write(s string) {
	mu.Lock()
	defer mu.Unlock()
	b.buf.WriteString(s)
	b.b.WriteString(s)
}

// Shorten is two.
func (b *Buffer) Shorten() {
	mu.Lock()
	n := b.buf.Len()
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	b.buf.Truncate(n - 1) // want `^R\(a\) W'\(a\) W\(a\): \(\*Buffer\)\.Shorten is not .*, if \(\*Buffer\)\.Write comes`
}

// Grown is two.
func (b *Buffer) Grown() bool {
	mu.Lock()
	n := b.b.Len()
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return n < b.b.Len() // want `^R\(a\) W'\(a\) R\(a\): \(\*Buffer\)\.Grown is not .*, if \(\*Buffer\)\.Write comes`
}

type counter struct{ n int }

func (c *counter) inc()     { c.n++ }
func (c *counter) get() int { return c.n }

// Nested has a type with methods.
type Nested struct {
	c counter //atomvet:set nested
	k int     //atomvet:set nested
}

// Inc is one step.
func (n *Nested) Inc() {
	mu.Lock()
	defer mu.Unlock()
	n.c.inc()
	n.k++
}

// Apart is two.
func (n *Nested) Apart() {
	mu.Lock()
	c := n.c.get()
	mu.Unlock()
	if c > 0 {
		mu.Lock()
		n.c.inc()
		mu.Unlock()
	}
}

// Locker has a lock of any kind.
type Locker struct {
	l    sync.Locker
	x, y int //atomvet:set locker
}

// Set is one step.
func (l *Locker) Set(x, y int) {
	l.l.Lock()
	defer l.l.Unlock()
	l.x = x
	l.y = y
}

// Get is one.
func (l *Locker) Get() int {
	l.l.Lock()
	defer l.l.Unlock()
	return l.x + l.y
}

// Apart is two.
func (l *Locker) Apart() int {
	l.l.Lock()
	x := l.x
	l.l.Unlock()
	l.l.Lock()
	defer l.l.Unlock()
	return x + l.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Locker\)\.Apart is not .*, if \(\*Locker\)\.Set comes`
}

type config struct{ a, b int }

// Atomic has a pointer that is replaced.
type Atomic struct {
	p atomic.Pointer[config] //atomvet:set atomic
}

// Set is one step.
func (a *Atomic) Set(x, y int) { a.p.Store(&config{x, y}) }

// Get is one.
func (a *Atomic) Get() int {
	c := a.p.Load()
	return c.a + c.b
}

// Apart is two.
func (a *Atomic) Apart() int { return a.p.Load().a + a.p.Load().b } // want `^R\(a\) W'\(a\) R\(a\): \(\*Atomic\)\.Apart is not .*, if \(\*Atomic\)\.Set comes`

// SyncMap is safe for concurrent use by itself.
type SyncMap struct {
	m sync.Map //atomvet:set syncmap
}

// Delete is one step.
func (s *SyncMap) Delete(k string) { s.m.Delete(k) }

// Get is one.
func (s *SyncMap) Get(k string) any {
	v, _ := s.m.LoadOrStore(k, 1)
	return v
}

// Apart is two.
func (s *SyncMap) Apart(k string) any {
	if v, ok := s.m.Load(k); ok {
		return v
	}
	s.m.Store(k, 1) // want `^R\(a\) W'\(a\) W\(a\): \(\*SyncMap\)\.Apart is not .*, if \(\*SyncMap\)\.Delete comes`
	return 1
}

// Panics has ways that end in a panic.
type Panics struct {
	x, y int //atomvet:set panics
}

// Set is one step, also if it panics.
func (p *Panics) Set() {
	mu.Lock()
	defer mu.Unlock()
	defer func() { _ = recover() }()
	p.x = 1
	if p.x == 2 {
		panic("no")
	}
	p.y = 1
}

// Apart may panic in between.
func (p *Panics) Apart() int {
	mu.Lock()
	x := p.x
	mu.Unlock()
	if x == 0 {
		panic("zero")
	}
	mu.Lock()
	defer mu.Unlock()
	return p.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Panics\)\.Apart is not .*, if \(\*Panics\)\.Set comes`
}

// Either reads one of them, and panics.
func (p *Panics) Either(b bool) int {
	mu.Lock()
	defer mu.Unlock()
	if b {
		panic(p.x)
	}
	return p.y
}
