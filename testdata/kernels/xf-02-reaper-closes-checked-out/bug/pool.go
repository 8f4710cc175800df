// Package rpcpool keeps client connections to one backend open between calls.
package rpcpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// Errors returned by Get.
var (
	ErrClosed    = errors.New("rpcpool: pool is closed")
	ErrExhausted = errors.New("rpcpool: too many open connections")
)

// Dialer opens a connection to the backend.
type Dialer func(ctx context.Context) (net.Conn, error)

// Options configure a Pool.
type Options struct {
	MaxOpen     int
	IdleTimeout time.Duration
	ReapEvery   time.Duration
}

// Conn is a pooled connection. A Conn obtained from Get belongs to the caller
// until it is given back with Put.
type Conn struct {
	net.Conn
	idleSince time.Time // valid while in Pool.idle
}

// Pool is a set of connections. It is safe for concurrent use.
type Pool struct {
	dial Dialer
	opts Options
	stop chan struct{}

	mu     sync.Mutex
	idle   []*Conn // most recently used last
	open   int     // idle, handed out and being dialled
	closed bool
}

// New returns a pool and starts its reaper.
func New(dial Dialer, opts Options) *Pool {
	p := &Pool{dial: dial, opts: opts, stop: make(chan struct{})}
	go p.reapLoop()
	return p
}

// Get returns an idle connection, or dials one.
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
	if p.open >= p.opts.MaxOpen {
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	nc, err := p.dial(ctx)
	if err != nil {
		p.release(1)
		return nil, err
	}
	return &Conn{Conn: nc}, nil
}

// Put gives c back. A connection on which a call failed is not reused.
func (p *Pool) Put(c *Conn, failed bool) {
	if !failed && p.keep(c) {
		return
	}
	c.Close()
	p.release(1)
}

// keep adds c to the idle list unless the pool has been closed.
func (p *Pool) keep(c *Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	c.idleSince = time.Now()
	p.idle = append(p.idle, c)
	return true
}

// release gives back n slots for open connections.
func (p *Pool) release(n int) {
	p.mu.Lock()
	p.open -= n
	p.mu.Unlock()
}

func (p *Pool) reapLoop() {
	t := time.NewTicker(p.opts.ReapEvery)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			p.reapIdle(now)
		case <-p.stop:
			return
		}
	}
}

// reapIdle closes the connections that have not been used for IdleTimeout and
// returns their number.
func (p *Pool) reapIdle(now time.Time) int {
	old := p.expired(now.Add(-p.opts.IdleTimeout))
	for _, c := range old {
		c.Close()
	}
	p.forget(old)
	return len(old)
}

// expired returns the connections that have been idle since before cutoff.
func (p *Pool) expired(cutoff time.Time) []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	var old []*Conn
	for _, c := range p.idle {
		if !c.idleSince.Before(cutoff) {
			break
		}
		old = append(old, c)
	}
	return old
}

// forget drops conns from the idle list and gives back their slots.
func (p *Pool) forget(conns []*Conn) {
	gone := make(map[*Conn]bool, len(conns))
	for _, c := range conns {
		gone[c] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := make([]*Conn, 0, len(p.idle))
	for _, c := range p.idle {
		if !gone[c] {
			kept = append(kept, c)
		}
	}
	p.idle = kept
	p.open -= len(conns)
}

// Close closes the idle connections. Those handed out or being dialled are
// closed when they are given back with Put.
func (p *Pool) Close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	close(p.stop)

	for _, c := range idle {
		c.Close()
	}
	p.release(len(idle))
}

// Open returns the number of open connections.
func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}
