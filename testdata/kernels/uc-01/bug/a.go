package a

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrExhausted is returned when all connections of a pool are in use.
var ErrExhausted = errors.New("pool: all connections in use")

// ErrClosed is returned by a pool that has been shut down.
var ErrClosed = errors.New("pool: closed")

// Conn is one connection to the backend, on loan to a caller.
type Conn struct {
	net.Conn
	since time.Time
}

// DialFunc opens a connection to the backend.
type DialFunc func(ctx context.Context) (net.Conn, error)

// Pool keeps up to max connections. The backend refuses clients that open
// more than their quota, so max is a hard limit and not a hint.
type Pool struct {
	mu     sync.Mutex
	idle   []*Conn
	open   int
	max    int
	closed bool
	dial   DialFunc
}

// New makes a pool of at most max connections.
func New(max int, dial DialFunc) *Pool {
	return &Pool{max: max, dial: dial}
}

// admit returns an idle connection if there is one; otherwise it says
// whether the caller may open a new one.
func (p *Pool) admit() (c *Conn, room bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, false, nil
	}
	return nil, p.open < p.max, nil
}

// adjust changes the number of open connections.
func (p *Pool) adjust(delta int) {
	p.mu.Lock()
	p.open += delta
	p.mu.Unlock()
}

// Get lends a connection. The caller gives it back with Put or Discard.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	c, room, err := p.admit()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	if !room {
		return nil, ErrExhausted
	}
	// The handshake can take seconds, others must not wait for it.
	nc, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	p.adjust(+1)
	return &Conn{Conn: nc, since: time.Now()}, nil
}

// Put gives a healthy connection back.
func (p *Pool) Put(c *Conn) {
	p.mu.Lock()
	if p.closed {
		p.open--
		p.mu.Unlock()
		c.Close()
		return
	}
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

// Discard closes a connection that failed.
func (p *Pool) Discard(c *Conn) {
	c.Close()
	p.adjust(-1)
}

// Close shuts the idle connections; those on loan are shut by Put.
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

// Open says how many connections exist.
func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}
