// Package pool bounds the number of open backend connections.
package pool

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

var (
	ErrExhausted = errors.New("pool: all connections busy")
	ErrClosed    = errors.New("pool: closed")
)

type DialFunc func(ctx context.Context) (net.Conn, error)

type idleConn struct {
	net.Conn
	since time.Time
}

type Pool struct {
	dial DialFunc
	max  int

	mu     sync.Mutex
	idle   []idleConn
	open   int
	closed bool
}

func New(max int, dial DialFunc) *Pool {
	return &Pool{dial: dial, max: max}
}

func (p *Pool) popIdle() (net.Conn, bool) {
	n := len(p.idle)
	if n == 0 {
		return nil, false
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c.Conn, true
}

// Get returns an idle connection or opens a new one.
func (p *Pool) Get(ctx context.Context) (net.Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if c, ok := p.popIdle(); ok {
		p.mu.Unlock()
		return c, nil
	}
	if p.open >= p.max {
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	c, err := p.dial(ctx)

	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.open--
		return nil, err
	}
	if p.closed {
		p.open--
		c.Close()
		return nil, ErrClosed
	}
	return c, nil
}

// Put gives a healthy connection back.
func (p *Pool) Put(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.open--
		c.Close()
		return
	}
	p.idle = append(p.idle, idleConn{c, time.Now()})
}

// Discard drops a broken connection.
func (p *Pool) Discard(c net.Conn) {
	c.Close()
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
}

func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.Close()
		p.open--
	}
	p.idle = nil
}
