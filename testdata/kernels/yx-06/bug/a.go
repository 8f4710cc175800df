package a

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
)

var ErrClosed = errors.New("pool is closed")

// Conn is a pooled connection. It belongs to the caller between Get and Put.
type Conn struct {
	net.Conn
	uses int
}

// Pool hands a fixed number of database connections out; callers queue up in
// order when all are in use.
type Pool struct {
	mu      sync.Mutex
	idle    []*Conn
	waiters []chan *Conn
	inUse   int
	closed  bool
}

// New takes over connections which are dialled already.
func New(conns ...net.Conn) *Pool {
	p := &Pool{}
	for _, c := range conns {
		p.idle = append(p.idle, &Conn{Conn: c})
	}
	return p
}

// Get returns a connection, waiting for one until ctx ends.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.inUse++
		p.mu.Unlock()
		return c, nil
	}
	w := make(chan *Conn, 1)
	p.waiters = append(p.waiters, w)
	p.mu.Unlock()

	select {
	case c, ok := <-w:
		if !ok {
			return nil, ErrClosed
		}
		return c, nil
	case <-ctx.Done():
		p.mu.Lock()
		p.waiters = slices.DeleteFunc(p.waiters, func(x chan *Conn) bool { return x == w })
		p.mu.Unlock()
		return nil, ctx.Err()
	}
}

// Put gives the connection to the longest waiting caller or parks it.
func (p *Pool) Put(c *Conn) {
	c.uses++
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(c)
}

func (p *Pool) put(c *Conn) {
	switch {
	case p.closed:
		p.inUse--
		c.Close()
	case len(p.waiters) > 0:
		w := p.waiters[0]
		p.waiters = p.waiters[1:]
		w <- c
	default:
		p.inUse--
		p.idle = append(p.idle, c)
	}
}

// Stats returns the number of connections in use and parked.
func (p *Pool) Stats() (inUse, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inUse, len(p.idle)
}

// Close closes the parked connections and turns the waiting callers away.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, c := range p.idle {
		c.Close()
	}
	for _, w := range p.waiters {
		close(w)
	}
	p.idle, p.waiters = nil, nil
}
