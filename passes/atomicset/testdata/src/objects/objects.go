// Package objects has units of work on several objects, and objects that
// consist of others.
package objects

import "sync"

// Account can be transferred from and to.
type Account struct {
	mu sync.Mutex
	id int
	n  int //atomvet:set balance
	in int //atomvet:set balance
}

// Deposit is one step.
func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += n
	a.in++
}

// Unlocked holds the lock of one account only.
//
//atomvet:unitfor to
func (a *Account) Unlocked(to *Account, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n -= n
	to.n += n // want `^R\(a\) W'\(a\) W\(a\): \(\*Account\)\.Unlocked is not .*, if another \(\*Account\)\.Unlocked comes`
}

// Ordered holds both, in the order of the numbers.
//
//atomvet:unitfor to
func (a *Account) Ordered(to *Account, n int) {
	first, second := a, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	a.n -= n
	to.n += n
	to.in++
}

// Branches holds both, too.
//
//atomvet:unitfor to
func (a *Account) Branches(to *Account, n int) {
	if a.id < to.id {
		a.mu.Lock()
		to.mu.Lock()
	} else {
		to.mu.Lock()
		a.mu.Lock()
	}
	a.n -= n
	to.n += n
	to.in++
	a.mu.Unlock()
	to.mu.Unlock()
}

// OneByOne takes one after the other: each account has its step.
//
//atomvet:unitfor to
func (a *Account) OneByOne(to *Account, n int) {
	a.mu.Lock()
	a.n -= n
	a.mu.Unlock()
	to.Deposit(n)
}

// Server guards the sessions that it has with its own lock.
type Server struct {
	mu      sync.Mutex
	session session
	other   *session
}

type session struct {
	x, y int //atomvet:set session
}

// Set writes both under the lock of the server.
//
//atomvet:unit
func (s *Server) Set(x, y int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.x = x
	s.session.y = y
}

// Get reads both at once.
//
//atomvet:unit
func (s *Server) Get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session.x + s.session.y
}

// Apart does not.
//
//atomvet:unit
func (s *Server) Apart() int {
	s.mu.Lock()
	x := s.session.x
	s.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return x + s.session.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Server\)\.Apart is not .*, if \(\*Server\)\.Set comes`
}

// Shelf has containers.
type Shelf struct {
	mu    sync.Mutex
	items map[string]int //atomvet:set shelf
	order []string       //atomvet:set shelf
}

// Put changes both.
func (s *Shelf) Put(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = n
	s.order = append(s.order, name)
}

// Take tests and deletes in two sections.
func (s *Shelf) Take(name string) bool {
	s.mu.Lock()
	_, ok := s.items[name]
	s.mu.Unlock()
	if ok {
		s.mu.Lock()
		delete(s.items, name) // want `^R\(a\) W'\(a\) W\(a\): \(\*Shelf\)\.Take is not .*, if \(\*Shelf\)\.Put comes`
		s.mu.Unlock()
	}
	return ok
}

// TakeOnce does so in one.
func (s *Shelf) TakeOnce(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.items[name]
	delete(s.items, name)
	return ok
}

// Clear empties them.
func (s *Shelf) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.items)
	s.order = s.order[:0]
}

// Swap changes elements in two sections.
func (s *Shelf) Swap(i, j int) {
	s.mu.Lock()
	x := s.order[i]
	s.mu.Unlock()
	s.mu.Lock()
	s.order[j] = x // want `^R\(a\) W'\(a\) W\(a\): \(\*Shelf\)\.Swap is not .*, if \(\*Shelf\)\.Put comes`
	s.mu.Unlock()
}

type node struct {
	value int
	next  *node
}

// Chain is linked: the nodes belong to the field.
type Chain struct {
	mu   sync.Mutex
	head *node //atomvet:set chain
	n    int   //atomvet:set chain
}

// Push is one step.
func (c *Chain) Push(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = &node{x, c.head}
	c.n++
}

// Change writes what is behind the field.
func (c *Chain) Change(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head.value = x
}

// Double reads and writes it in two sections.
func (c *Chain) Double() {
	c.mu.Lock()
	x := c.head.value
	c.mu.Unlock()
	c.mu.Lock()
	c.head.value = 2 * x // want `^R\(a\) W'\(a\) W\(a\): \(\*Chain\)\.Double is not .*, if \(\*Chain\)\.Change comes`
	c.mu.Unlock()
}

// Last walks with the lock.
func (c *Chain) Last() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.head
	for at.next != nil {
		at = at.next
	}
	return at.value
}

// Append walks with the lock, but appends with it again.
func (c *Chain) Append(x int) {
	c.mu.Lock()
	at := c.head
	for at.next != nil {
		at = at.next
	}
	c.mu.Unlock()
	c.mu.Lock()
	at.next = &node{value: x} // want `^R\(a\) W'\(a\) W\(a\): \(\*Chain\)\.Append is not .*, if \(\*Chain\)\.Change comes`
	c.mu.Unlock()
}

var (
	mu    sync.Mutex
	low   int //atomvet:set range
	high  int //atomvet:set range
	other int
)

// SetRange writes both.
func SetRange(l, h int) {
	mu.Lock()
	defer mu.Unlock()
	low = l
	high = h
}

// Range reads both at once.
func Range() int {
	mu.Lock()
	defer mu.Unlock()
	return high - low
}

// Apart does not.
func Apart() int {
	mu.Lock()
	l := low
	mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return high - l // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): Apart is not .*, if SetRange comes`
}

type talk struct {
	x, y int //atomvet:set talk
}

// First has a talk and a lock.
type First struct {
	mu sync.Mutex
	s  *talk
}

// Second has another lock for the same talk.
type Second struct {
	mu sync.Mutex
	s  *talk
}

// Set is one step under the one.
//
//atomvet:unit
func (f *First) Set() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.s.x = 1 // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*First\)\.Set can come between the accesses of \(\*Second\)\.Get`
	f.s.y = 1
}

// Get is one under the other.
//
//atomvet:unit
func (s *Second) Get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.s.x + s.s.y // want `^W\(a\) R'\(a\) R'\(b\) W\(b\): \(\*Second\)\.Get can come between the accesses of \(\*First\)\.Set`
}
