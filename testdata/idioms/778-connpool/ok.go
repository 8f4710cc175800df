// Package connpool shares a limited number of connections to a database.
package connpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

var (
	ErrClosed    = errors.New("connpool: pool is closed")
	ErrExhausted = errors.New("connpool: all connections are in use")
)

// Conn is a pooled connection. It belongs to the one who got it until it is
// put back.
type Conn struct {
	net.Conn
	uses     int
	lastUsed time.Time
	broken   bool
}

// Roundtrip sends a request and reads the response into buf.
func (c *Conn) Roundtrip(req, buf []byte) (int, error) {
	c.uses++
	c.lastUsed = time.Now()
	if _, err := c.Write(req); err != nil {
		c.broken = true
		return 0, err
	}
	n, err := c.Read(buf)
	if err != nil {
		c.broken = true
	}
	return n, err
}

// Pool is a pool of connections.
type Pool struct {
	dial    func(ctx context.Context) (net.Conn, error)
	limit   int
	maxUses int

	mu     sync.Mutex
	idle   []*Conn
	open   int
	closed bool
}

// New returns a pool with up to limit connections, each of which is used up to
// maxUses times.
func New(limit, maxUses int, dial func(context.Context) (net.Conn, error)) *Pool {
	return &Pool{dial: dial, limit: limit, maxUses: maxUses}
}

// Get returns an idle connection or a new one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.open >= p.limit {
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	nc, err := p.dial(ctx)
	if err != nil {
		p.forget(1)
		return nil, err
	}
	return &Conn{Conn: nc, lastUsed: time.Now()}, nil
}

func (p *Pool) forget(n int) {
	p.mu.Lock()
	p.open -= n
	p.mu.Unlock()
}

// Put gives a connection back.
func (p *Pool) Put(c *Conn) {
	reusable := !c.broken && c.uses < p.maxUses
	p.mu.Lock()
	if reusable && !p.closed {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	c.Close()
	p.forget(1)
}

// reap closes the connections that were idle for longer than d.
func (p *Pool) reap(d time.Duration) {
	limit := time.Now().Add(-d)
	var old []*Conn
	p.mu.Lock()
	keep := make([]*Conn, 0, len(p.idle))
	for _, c := range p.idle {
		if c.lastUsed.Before(limit) {
			old = append(old, c)
		} else {
			keep = append(keep, c)
		}
	}
	p.idle = keep
	p.mu.Unlock()

	for _, c := range old {
		c.Close()
	}
	p.forget(len(old))
}

// Reaper closes idle connections until ctx is done.
func (p *Pool) Reaper(ctx context.Context, d time.Duration) {
	tick := time.NewTicker(d / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.reap(d)
		}
	}
}

// Close closes the idle connections; those in use are closed when put back.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
	p.forget(len(idle))
}
