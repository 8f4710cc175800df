// Package connbudget is a pool of connections to one server.
//
// Correct: the place of a new connection is taken (open++) in the critical
// section that looks at the limit, before dialling without the lock, and is
// given back if the dial fails; whether the pool was closed meanwhile is looked
// at again under the lock.
package connbudget

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrClosed    = errors.New("pool: closed")
	ErrExhausted = errors.New("pool: all connections in use")
)

type Conn interface {
	Healthy() bool
	Close() error
}

type Pool struct {
	dial func(ctx context.Context) (Conn, error)
	max  int

	mu     sync.Mutex
	idle   []Conn
	open   int
	closed bool
}

func New(limit int, dial func(context.Context) (Conn, error)) *Pool {
	return &Pool{dial: dial, max: limit}
}

// reserve returns an idle connection, or nil with a place for a new one.
func (p *Pool) reserve() (Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	if p.open >= p.max {
		return nil, ErrExhausted
	}
	p.open++
	return nil, nil
}

func (p *Pool) unreserve() {
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
}

// Get returns a connection that is the caller's until Put.
func (p *Pool) Get(ctx context.Context) (Conn, error) {
	c, err := p.reserve()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	c, err = p.dial(ctx)
	if err != nil {
		p.unreserve()
		return nil, err
	}
	if p.isClosed() {
		p.unreserve()
		c.Close()
		return nil, ErrClosed
	}
	// Closed from here on: the caller's Put will close the connection.
	return c, nil
}

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Put gives a connection back; each Get has one Put.
func (p *Pool) Put(c Conn) {
	if !c.Healthy() {
		p.unreserve()
		c.Close()
		return
	}
	p.mu.Lock()
	if !p.closed {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.open--
	p.mu.Unlock()
	c.Close()
}

func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}

func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}
