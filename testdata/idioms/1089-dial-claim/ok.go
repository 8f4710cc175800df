// Correct: a slot is claimed (open is raised) in the same section that finds
// room, before the lock is let go for dialling; after the dial the pool looks
// again whether it was closed, and a failed dial gives the slot back.
package pool

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrClosed    = errors.New("pool is closed")
	ErrExhausted = errors.New("all connections are in use")
)

// Conn is a pooled connection.
type Conn interface {
	Ping(ctx context.Context) error
	Close() error
}

// Pool keeps up to max connections to one server.
type Pool struct {
	dial func(ctx context.Context) (Conn, error)
	max  int

	mu     sync.Mutex
	idle   []Conn
	open   int
	closed bool
}

// New returns a pool that dials with dial.
func New(max int, dial func(ctx context.Context) (Conn, error)) *Pool {
	return &Pool{dial: dial, max: max}
}

// reserve hands out an idle connection or, with a nil Conn, leave to dial.
func (p *Pool) reserve() (Conn, error) {
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
		return nil, ErrExhausted
	}
	p.open++
	return nil, nil
}

func (p *Pool) giveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Get returns a connection that works.
func (p *Pool) Get(ctx context.Context) (Conn, error) {
	for {
		c, err := p.reserve()
		if err != nil {
			return nil, err
		}
		if c == nil {
			break
		}
		if c.Ping(ctx) == nil {
			return c, nil
		}
		c.Close()
		p.giveUp()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	c, err := p.dial(ctx)
	if err != nil {
		p.giveUp()
		return nil, err
	}
	// A pool that is closed after this finds out when c is put back.
	if p.isClosed() {
		p.giveUp()
		c.Close()
		return nil, ErrClosed
	}
	return c, nil
}

// Put gives a connection back; broken ones are closed.
func (p *Pool) Put(c Conn, broken bool) {
	p.mu.Lock()
	if !broken && !p.closed {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.open--
	p.mu.Unlock()
	c.Close()
}

// Close closes the idle connections; the others follow when they are put back.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	p.closed = true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
