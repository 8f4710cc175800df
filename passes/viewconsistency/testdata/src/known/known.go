// Package known has what the analyzer gets wrong.
package known

import (
	"fmt"
	"log"
	"sync"
)

// The programs of the papers, and others. FALSE marks what is reported and should not be, and MISSED what
// should be.

// What is read again on one way only.
type stack struct {
	mu   sync.Mutex
	list []int
	top  int
}

func (s *stack) Push(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.top = append(s.list, v), v
}

func (s *stack) Fresh(again bool) int {
	s.mu.Lock()
	top := s.top
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if again {
		top = s.top
	}
	return top - len(s.list) // MISSED: split-read: top is read again on one way only, but the sections form a chain
}

type agent struct {
	mu   sync.Mutex
	on   bool
	want int
	have int
}

// The daemon does not return what it finds.
func (a *agent) daemon(failed chan<- bool) {
	for {
		a.mu.Lock()
		bad := a.on && a.want != a.have
		a.mu.Unlock()
		if bad {
			failed <- true
		}
	}
}

func (a *agent) set(n int) {
	a.mu.Lock()
	a.want = n
	a.mu.Unlock()
	a.mu.Lock()
	a.have = n // MISSED: split-write: daemon uses both for a decision to send, but only results and writes make a view of what is read together
	a.mu.Unlock()
}

// Jigsaw, in the order of the original.

type cell struct{ value int }

type manager struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]*cell
}

func (m *manager) checkClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (m *manager) lookup(key string) *cell {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		e = new(cell)
		m.entries[key] = e
	}
	return e
}

func (m *manager) Shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.closed = true
}

func (m *manager) Load(key string) *cell {
	if m.checkClosed() {
		return nil
	}
	return m.lookup(key) // MISSED: split-read: a decision before the second read is taken for one that only leads there (stalevalue is silent, too)
}

// StringBuffer, in the locks of the original, and of java.util.Vector.

type vec struct {
	mu   sync.Mutex
	len  int
	b    []byte
	next *vec
}

func (s *vec) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len
}

func (s *vec) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.b...)
}

func (s *vec) CopyTo(to []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(to, s.b)
}

func (s *vec) Truncate(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b, s.len = s.b[:n], n
}

func NewVec(o *vec) *vec {
	n := o.Len()
	b := make([]byte, n)
	o.CopyTo(b) // want `split-read: o\.len at line 141 and o\.b here`
	return &vec{len: n, b: b}
}

// The lock of another object of the same type, that leads to the one at hand, or
// that everybody has.

func (s *vec) Next() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.next.Len()
	return s.next.Bytes()[:n] // MISSED: split-read: s.next is within s, and s.mu is taken for a guard of what is in there
}

func (s *vec) MoveTo(o *vec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.mu.Lock()
	o.len = s.len
	o.mu.Unlock()
	o.mu.Lock()
	o.b = s.b // MISSED: split-write: as it is held, too, s.mu is taken for one whose state these two steps keep consistent
	o.mu.Unlock()
}

var first vec

func (s *vec) NotFirst() []byte {
	first.mu.Lock()
	defer first.mu.Unlock()
	n := s.Len()
	return s.Bytes()[:n] // MISSED: split-read: the lock of a package variable is taken for a guard of everything
}

// The lock of another object of the same type, which is not declared with what
// it guards.

type guarded struct{ mu sync.Mutex }

type conn struct {
	guarded
	in, out int
}

func (c *conn) Set(n, m int) { c.mu.Lock(); c.in, c.out = n, m; c.mu.Unlock() }
func (c *conn) In() int      { c.mu.Lock(); defer c.mu.Unlock(); return c.in }
func (c *conn) Out() int     { c.mu.Lock(); defer c.mu.Unlock(); return c.out }

func (c *conn) Other(o *conn) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.In() + o.Out() // MISSED: split-read: the lock is in an embedded type, so that of c is taken for a guard of o
}

type stats struct{ hits, misses int }

type cache struct {
	mu    sync.Mutex
	stats stats
}

func (c *cache) Set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.hits, c.stats.misses = n, n
}

func (c *cache) Other(o *cache) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.mu.Lock()
	h := o.stats.hits
	o.mu.Unlock()
	o.mu.Lock()
	m := o.stats.misses // MISSED: split-read: the fields are in a type without a lock, so that of c is taken for a guard of o
	o.mu.Unlock()
	return float64(h) / float64(h+m)
}

// Objects and parts.

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) Set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

type roster struct {
	mu    sync.Mutex
	names []string
}

func (r *roster) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.names...)
}

func (r *roster) Replace(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = names
}

type club struct {
	mu      sync.Mutex
	members *roster
	size    *counter
}

func (c *club) Admit(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members.Replace(names)
	c.size.Set(len(names))
}

func (c *club) Snapshot() ([]string, int) {
	return c.members.Names(), c.size.Get() // MISSED: split-read: a lock that guards nothing but calls makes no view
}

// Two parts of one type are one location.
type whole struct {
	mu          sync.Mutex
	left, right counter
}

func (w *whole) Both(l, r int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left.mu.Lock()
	w.left.n = l
	w.left.mu.Unlock()
	w.right.mu.Lock()
	w.right.n = r
	w.right.mu.Unlock()
}

func (w *whole) Diff() int {
	return w.left.Get() - w.right.Get() // MISSED: split-read: a view needs two locations, and both parts are of one
}

type interval struct {
	mu       sync.Mutex
	from, to point
}

type point struct{ x, y int }

func (i *interval) Set(from, to int) {
	i.mu.Lock()
	i.from.x, i.to.x = from, to
	i.mu.Unlock()
}

func (i *interval) From() int { i.mu.Lock(); defer i.mu.Unlock(); return i.from.x }
func (i *interval) To() int   { i.mu.Lock(); defer i.mu.Unlock(); return i.to.x }

func (i *interval) Len() int { return i.To() - i.From() } // MISSED: split-read: the same, with one lock

// Uses.

type address struct {
	mu   sync.Mutex
	host string
	port int
}

func (a *address) Set(host string, port int) {
	a.mu.Lock()
	a.host, a.port = host, port
	a.mu.Unlock()
}

func (a *address) Host() string { a.mu.Lock(); defer a.mu.Unlock(); return a.host }
func (a *address) Port() int    { a.mu.Lock(); defer a.mu.Unlock(); return a.port }

func (a *address) Mark(seen map[string]bool) {
	host := a.Host()
	port := a.Port() // MISSED: split-read: the text that Sprintf makes is a key
	seen[fmt.Sprintf("%s:%d", host, port)] = true
}

// A part of a local variable.

type message struct {
	text string
	n, m int
}

func (a *address) Warn(want int) {
	host := a.Host()
	port := a.Port() // FALSE: split-read: a.host at line 345 and a.port here: the decision is only about what is logged, but a store to a part of a variable is an effect
	var m message
	if len(host) == port-want {
		m.text = "wrong"
	}
	log.Print(m.text)
}

func (a *address) Each(use func(int)) {
	var m message
	m.n = len(a.Host())
	m.m = a.Port() // FALSE: split-read: a.host at line 356 and a.port here: the parts of a local variable are not told apart
	use(m.n)
	use(m.m)
}

// One update from two sources.

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) SetX(x int) { c.mu.Lock(); c.x = x; c.mu.Unlock() }
func (c *coord) SetY(y int) { c.mu.Lock(); c.y = y; c.mu.Unlock() }

func (c *coord) XY() (int, int) { c.mu.Lock(); defer c.mu.Unlock(); return c.x, c.y }

func (c *coord) Steer(x, y func() int) {
	c.SetX(x())
	c.SetY(y()) // FALSE: split-write: c.x at line 375 and c.y here: all parameters are one source, but what x and y return is not passed in the call
}

func (c *coord) Follow(x, y <-chan int) {
	c.SetX(<-x)
	c.SetY(<-y) // FALSE: split-write: c.x at line 380 and c.y here: nor is what comes from the channels
}

// Pairs that are checked afterwards.

type pages struct {
	mu   sync.Mutex
	gen  int
	text string
	html string
}

func (p *pages) Edit(text, html string) {
	p.mu.Lock()
	p.gen++
	p.text, p.html = text, html
	p.mu.Unlock()
}

func (p *pages) Gen() int     { p.mu.Lock(); defer p.mu.Unlock(); return p.gen }
func (p *pages) Text() string { p.mu.Lock(); defer p.mu.Unlock(); return p.text }
func (p *pages) HTML() string { p.mu.Lock(); defer p.mu.Unlock(); return p.html }

func (p *pages) Between() (string, string) {
	for {
		text := p.Text()
		gen := p.Gen()
		html := p.HTML() // MISSED: split-read: the version is not read before the first, but for that of the round before
		if p.Gen() == gen {
			return text, html
		}
	}
}

func (p *pages) BetweenOnce(use func(string, string)) {
	text := p.Text()
	gen := p.Gen() // want `split-read: p\.text at line 416 and p\.gen here`
	html := p.HTML()
	if p.Gen() == gen {
		use(text, html)
	}
}

func (p *pages) TooLate(use func(string, string)) {
	for {
		gen := p.Gen()
		text := p.Text() // FALSE: split-read: p.gen at line 426 and p.text here: the version decides about the next round, which does not have this text
		html := p.HTML() // right, and a related position of the other
		use(text, html)
		if p.Gen() == gen {
			return
		}
	}
}

func (p *pages) Inverted() (string, string) {
	for {
		gen := p.Gen()
		text := p.Text()
		html := p.HTML() // MISSED: split-read: the pair is used if the version is not the same
		if p.Gen() != gen {
			return text, html
		}
	}
}

func (p *pages) Rest() (string, string) {
	gen := p.Gen()
	text := p.Text()
	for {
		html := p.HTML() // FALSE: split-read: p.text at line 449 and p.html here: the version is checked, but the way back begins with the second read itself
		if p.Gen() == gen {
			return text, html
		}
	}
}

func (p *pages) Anew() (string, string) {
	gen := p.Gen()
	text := p.Text()
	html := p.HTML() // FALSE: split-read: p.text at line 460 and p.html here: what is read anew is read elsewhere, so that both ways lead to the return
	for p.Gen() != gen {
		gen = p.Gen()
		text = p.Text()
		html = p.HTML()
	}
	return text, html
}

func (p *pages) Try() (string, string, bool) {
	gen := p.Gen()
	text := p.Text()
	html := p.HTML()
	if p.Gen() != gen { // FALSE: split-read: p.html at line 473 and p.gen here: the same as in BetweenOnce
		return "", "", false
	}
	return text, html, true
}

func (p *pages) Told() (string, string, bool) {
	gen := p.Gen()
	text := p.Text() // FALSE: split-read: p.gen at line 481 and p.text here: the version is compared, but there is no branch
	html := p.HTML()
	return text, html, p.Gen() == gen
}
