// Package dialpool shares a bounded number of connections to one backend.
package dialpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrClosed is returned once the pool was closed.
var ErrClosed = errors.New("dialpool: pool is closed")

// DialFunc opens a connection to addr.
type DialFunc func(ctx context.Context, addr string) (net.Conn, error)

// Conn is a connection on loan from a pool.
type Conn struct {
	net.Conn
	since time.Time
}

// Age returns how long ago the connection was dialled.
func (c *Conn) Age() time.Duration { return time.Since(c.since) }

// Pool hands out connections. The backend admits at most maxOpen connections
// per client and answers the next one with a ban of several minutes. A Pool is
// safe for concurrent use.
type Pool struct {
	addr    string
	dial    DialFunc
	maxOpen int
	maxAge  time.Duration

	mu     sync.Mutex
	room   *sync.Cond // a connection came back, was dropped, or the pool closed
	idle   []*Conn
	open   int // connections on loan, idle or being dialled
	closed bool
}

// New returns a pool of at most maxOpen connections to addr.
func New(addr string, maxOpen int, maxAge time.Duration, dial DialFunc) *Pool {
	p := &Pool{addr: addr, dial: dial, maxOpen: maxOpen, maxAge: maxAge}
	p.room = sync.NewCond(&p.mu)
	return p
}

// Get returns a connection, waiting for one if all are on loan.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	c, err := p.awaitRoom()
	if err != nil || c != nil {
		return c, err
	}
	nc, err := p.dial(ctx, p.addr)
	if err != nil {
		p.forgo()
		return nil, err
	}
	return p.adopt(nc)
}

// awaitRoom waits for an idle connection or for room to open another. It
// returns nil without an error in the second case, and the room is taken.
func (p *Pool) awaitRoom() (*Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.closed {
			return nil, ErrClosed
		}
		if n := len(p.idle); n > 0 {
			c := p.idle[n-1]
			p.idle = p.idle[:n-1]
			return c, nil
		}
		if p.open < p.maxOpen {
			p.open++
			return nil, nil
		}
		p.room.Wait()
	}
}

// forgo gives back the room for a connection that could not be dialled.
func (p *Pool) forgo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	p.room.Signal()
}

// adopt makes a fresh connection one of the pool's.
func (p *Pool) adopt(nc net.Conn) (*Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		nc.Close()
		p.open--
		return nil, ErrClosed
	}
	return &Conn{Conn: nc, since: time.Now()}, nil
}

// Put gives a connection back. A connection that failed, or that is too old to
// be kept, is closed.
func (p *Pool) Put(c *Conn, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if failed || p.closed || c.Age() > p.maxAge {
		c.Close()
		p.open--
	} else {
		p.idle = append(p.idle, c)
	}
	p.room.Signal()
}

// Do runs fn with a connection of the pool.
func (p *Pool) Do(ctx context.Context, fn func(net.Conn) error) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	err = fn(c)
	p.Put(c, err != nil)
	return err
}

// Open returns the number of connections on loan, idle or being dialled.
func (p *Pool) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

// Close closes the idle connections and fails those who wait. Connections on
// loan are closed when they come back.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.Close()
		p.open--
	}
	p.idle = nil
	p.room.Broadcast()
}
