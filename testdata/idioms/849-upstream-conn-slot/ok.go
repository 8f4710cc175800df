// Package upstream pools connections to one origin server of the proxy.
package upstream

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Errors returned by Get.
var (
	ErrClosed = errors.New("upstream: pool is closed")
	ErrBusy   = errors.New("upstream: all connections are in use")
)

// Dialer opens a connection to the origin. It may take seconds.
type Dialer func(ctx context.Context) (net.Conn, error)

// Pool hands out at most max connections at a time. It is safe for concurrent
// use.
type Pool struct {
	dial Dialer
	max  int

	mu     sync.Mutex
	idle   []net.Conn
	open   int // connections that exist or are being dialed, idle ones included
	closed bool
}

// New returns an empty pool.
func New(dial Dialer, max int) *Pool {
	return &Pool{dial: dial, max: max}
}

// claim returns an idle connection, or nil with the right to dial a new one.
func (p *Pool) claim() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		return c, nil
	}
	if p.open >= p.max {
		return nil, ErrBusy
	}
	p.open++
	return nil, nil
}

// forfeit gives back the right to one connection.
func (p *Pool) forfeit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// shut reports whether the pool was closed.
func (p *Pool) shut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Get returns a connection for one exchange. The caller hands it back with
// Put, or with Discard when it is broken.
func (p *Pool) Get(ctx context.Context) (net.Conn, error) {
	c, err := p.claim()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	c, err = p.dial(ctx)
	if err != nil {
		p.forfeit()
		return nil, err
	}
	// The dial took its time. A pool that closes after this point gets the
	// connection back through Put like any other that is in use.
	if p.shut() {
		p.Discard(c)
		return nil, ErrClosed
	}
	return c, nil
}

// park keeps c for the next Get unless the pool is closed.
func (p *Pool) park(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.idle = append(p.idle, c)
	return true
}

// Put hands back a connection in good condition.
func (p *Pool) Put(c net.Conn) {
	if !p.park(c) {
		p.Discard(c)
	}
}

// Discard hands back a connection that must not be used any more.
func (p *Pool) Discard(c net.Conn) {
	c.Close()
	p.forfeit()
}

// Close closes the idle connections. Those in use are closed when they come
// back.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.closed = true
	p.mu.Unlock()
	for _, c := range idle {
		p.Discard(c)
	}
}
