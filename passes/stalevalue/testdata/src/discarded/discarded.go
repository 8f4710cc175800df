// Package discarded removes the objects on which an operation has failed.
package discarded

import (
	"errors"
	"sync"
)

var errClosed = errors.New("closed")

type conn struct{ open bool }

func (c *conn) send(string) error { return nil }
func (c *conn) close()            { c.open = false }

// A Link has one connection, which it makes anew after a failure.
type Link struct {
	dial func() *conn

	mu     sync.Mutex
	cur    *conn
	gen    int
	closed bool
}

func (l *Link) conn() (*conn, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil && !l.closed {
		l.cur = l.dial()
		l.gen++
	}
	return l.cur, l.gen
}

func (l *Link) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur != nil {
		l.cur.close()
		l.cur = nil
	}
}

// Send removes the connection of another, if that has made a new one.
func (l *Link) Send(text string) error {
	c, _ := l.conn()
	if err := c.send(text); err != nil {
		l.reset() // want `l.cur was read at line 47, but l.mu was released when conn returned and another goroutine may put another one there before this call of reset removes it, though what has failed is an operation on the one that was read`
		return err
	}
	return nil
}

// resetIf compares the connection.
func (l *Link) resetIf(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == c {
		l.cur = nil
	}
}

func (l *Link) SendOnce(text string) error {
	c, _ := l.conn()
	err := c.send(text)
	if err != nil {
		l.resetIf(c)
	}
	return err
}

// resetGen compares a number that was read with the connection.
func (l *Link) resetGen(gen int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen == gen {
		l.cur = nil
	}
}

func (l *Link) SendGen(text string) error {
	c, gen := l.conn()
	err := c.send(text)
	if err != nil {
		l.resetGen(gen)
	}
	return err
}

// Close ends the use of the place.
func (l *Link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.cur = nil
}

func (l *Link) SendLast(text string) error {
	c, _ := l.conn()
	err := c.send(text)
	if err != nil {
		l.Close()
	}
	return err
}

// SendHere compares in its own section.
func (l *Link) SendHere(text string) error {
	c, _ := l.conn()
	err := c.send(text)
	if err != nil {
		l.mu.Lock()
		if l.cur == c {
			l.cur = nil
		}
		l.mu.Unlock()
	}
	return err
}

// A Pool has a connection for each address.
type Pool struct {
	dial func(string) *conn

	mu    sync.Mutex
	conns map[string]*conn
}

func (p *Pool) get(addr string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.conns[addr]
	if !ok {
		c = p.dial(addr)
		p.conns[addr] = c
	}
	return c
}

func (p *Pool) drop(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.conns[addr]; ok {
		c.close()
		delete(p.conns, addr)
	}
}

func (p *Pool) Send(addr, text string) error {
	if err := p.get(addr).send(text); err != nil {
		p.drop(addr) // want `p.conns\[addr\] was read at line 151, but p.mu was released when get returned and another goroutine may put another one there`
		return err
	}
	return nil
}

// A Slot gives its object to one at a time, who marks it.
type Slot struct {
	mu  sync.Mutex
	all map[int]*job
}

type job struct {
	busy bool
	run  func() error
}

func (s *Slot) begin(id int) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.all[id]
	if j == nil || j.busy {
		return nil
	}
	j.busy = true
	return j
}

func (s *Slot) Put(id int, j *job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[id] != nil {
		return errClosed
	}
	s.all[id] = j
	return nil
}

func do(j *job) error { return j.run() }

func (s *Slot) Run(id int) {
	j := s.begin(id)
	if j == nil {
		return
	}
	if do(j) != nil {
		s.mu.Lock()
		delete(s.all, id)
		s.mu.Unlock()
	}
}

// A Wire is made once: those who remove it remove the same.
type Wire struct {
	mu  sync.Mutex
	cur *conn
}

func NewWire(c *conn) *Wire { return &Wire{cur: c} }

func (w *Wire) get() *conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cur
}

func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cur = nil
}

func (w *Wire) Send(text string) error {
	c := w.get()
	if c == nil {
		return errClosed
	}
	err := c.send(text)
	if err != nil {
		w.Cut()
	}
	return err
}
