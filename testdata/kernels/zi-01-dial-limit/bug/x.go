// Package upstream keeps a bounded set of connections to one upstream address.
package upstream

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

var (
	ErrExhausted = errors.New("upstream: all connections are in use")
	ErrClosed    = errors.New("upstream: pool closed")
)

// Dialer opens one connection to the upstream.
type Dialer func(ctx context.Context) (net.Conn, error)

// Conn is a pooled connection.
type Conn struct {
	net.Conn
	openedAt time.Time
}

// Pool hands out connections and takes them back. At most maxOpen are open at
// any one time; the upstream bans us for a minute when we go over its quota.
type Pool struct {
	dial    Dialer
	maxOpen int
	maxAge  time.Duration

	mu      sync.Mutex
	idle    []*Conn
	numOpen int
	closed  bool
}

func NewPool(dial Dialer, maxOpen int, maxAge time.Duration) *Pool {
	return &Pool{dial: dial, maxOpen: maxOpen, maxAge: maxAge}
}

// Get returns an idle connection or opens a new one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.maxOpen > 0 && p.numOpen >= p.maxOpen {
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.mu.Unlock()

	// Dialing may take seconds, so other callers must not wait for it.
	nc, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		nc.Close()
		return nil, ErrClosed
	}
	p.numOpen++
	return &Conn{Conn: nc, openedAt: time.Now()}, nil
}

// Put gives a connection back. Broken or aged connections are closed.
func (p *Pool) Put(c *Conn, broken bool) {
	p.mu.Lock()
	if broken || p.closed || p.expired(c) {
		p.numOpen--
		p.mu.Unlock()
		c.Close()
		return
	}
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

func (p *Pool) expired(c *Conn) bool {
	return p.maxAge > 0 && time.Since(c.openedAt) > p.maxAge
}

// Open reports how many connections are open.
func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.numOpen
}

// Close closes the idle connections; those in use are closed when put back.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.numOpen -= len(idle)
	p.closed = true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
