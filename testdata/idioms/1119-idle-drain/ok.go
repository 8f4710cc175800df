// Correct: Drain goes through the connections without the lock and takes the
// lock again for the totals, but what it goes through has been taken out of
// the pool for good: nobody else can get at it any more. The totals are
// additive.

// Package ok keeps idle connections by address.
package ok

import (
	"errors"
	"io"
	"sync"
	"time"
)

var ErrClosed = errors.New("pool: closed")

type Conn interface {
	io.Closer
	Alive() bool
}

type idleConn struct {
	conn  Conn
	since time.Time
}

type Totals struct {
	Reused, Closed, Broken int
}

type Pool struct {
	perAddr int
	maxIdle time.Duration

	mu     sync.Mutex
	idle   map[string][]idleConn
	totals Totals
	closed bool
}

func NewPool(perAddr int, maxIdle time.Duration) *Pool {
	return &Pool{perAddr: perAddr, maxIdle: maxIdle, idle: make(map[string][]idleConn)}
}

// Get takes an idle connection out of the pool; nil means that there is none.
func (p *Pool) Get(addr string) Conn {
	for {
		c, ok := p.pop(addr)
		if !ok {
			return nil
		}
		if time.Since(c.since) < p.maxIdle && c.conn.Alive() {
			p.count(Totals{Reused: 1})
			return c.conn
		}
		c.conn.Close()
		p.count(Totals{Closed: 1, Broken: 1})
	}
}

func (p *Pool) pop(addr string) (idleConn, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[addr]
	if len(list) == 0 {
		return idleConn{}, false
	}
	c := list[len(list)-1]
	list[len(list)-1] = idleConn{}
	p.idle[addr] = list[:len(list)-1]
	return c, true
}

func (p *Pool) count(t Totals) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.Reused += t.Reused
	p.totals.Closed += t.Closed
	p.totals.Broken += t.Broken
}

// Put gives a connection back; on an error the caller still owns it.
func (p *Pool) Put(addr string, c Conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if len(p.idle[addr]) >= p.perAddr {
		return errors.New("pool: enough idle connections")
	}
	p.idle[addr] = append(p.idle[addr], idleConn{conn: c, since: time.Now()})
	return nil
}

// Drain closes the connections that are idle now, for instance to free
// descriptors. The pool stays in use.
func (p *Pool) Drain() int {
	p.mu.Lock()
	out := p.idle
	p.idle = make(map[string][]idleConn)
	p.mu.Unlock()

	var t Totals
	for _, list := range out {
		for _, c := range list {
			if !c.conn.Alive() {
				t.Broken++
			}
			c.conn.Close()
			t.Closed++
		}
	}
	p.count(t)
	return t.Closed
}

// Close drains the pool and lets nothing more in.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Drain()
}

// Totals returns the counts so far.
func (p *Pool) Totals() Totals {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.totals
}
