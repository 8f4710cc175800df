// Package rpcpool shares one multiplexed connection per backend between all
// the stubs of a process.
package rpcpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Acquire after Close.
var ErrClosed = errors.New("rpcpool: pool is closed")

// DialFunc opens a connection to a backend.
type DialFunc func(ctx context.Context, addr string) (net.Conn, error)

// shared is a connection with the number of handles open on it.
type shared struct {
	net.Conn
	addr string
	refs atomic.Int32
	wmu  sync.Mutex
}

// Pool hands out connections by address. It is safe for concurrent use.
type Pool struct {
	dial DialFunc

	mu     sync.Mutex
	conns  map[string]*shared
	closed bool
}

// New returns an empty pool.
func New(dial DialFunc) *Pool {
	return &Pool{dial: dial, conns: make(map[string]*shared)}
}

// Handle is one stub's share of a connection.
type Handle struct {
	pool *Pool
	c    *shared
	once sync.Once
}

// Acquire returns a handle on the connection to addr, opening it if there is
// none. Dials are serialised so that a burst of callers ends up on a single
// connection.
func (p *Pool) Acquire(ctx context.Context, addr string) (*Handle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if c, ok := p.conns[addr]; ok {
		c.refs.Add(1)
		return &Handle{pool: p, c: c}, nil
	}
	nc, err := p.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	c := &shared{Conn: nc, addr: addr}
	c.refs.Store(1)
	p.conns[addr] = c
	return &Handle{pool: p, c: c}, nil
}

// Close refuses further Acquires. Connections in use are closed when their
// last handle goes.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}

// discard takes a broken connection out of circulation. Those who still have
// a handle on it keep it.
func (p *Pool) discard(c *shared) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlink(c)
}

// unlink is called with p.mu held.
func (p *Pool) unlink(c *shared) {
	if p.conns[c.addr] == c {
		delete(p.conns, c.addr)
	}
}

func (p *Pool) release(c *shared) error {
	p.mu.Lock()
	if c.refs.Add(-1) > 0 {
		p.mu.Unlock()
		return nil
	}
	p.unlink(c)
	p.mu.Unlock()
	return c.Close()
}

// Send writes one frame. Frames of different handles do not interleave.
func (h *Handle) Send(frame []byte) error {
	h.c.wmu.Lock()
	_, err := h.c.Write(frame)
	h.c.wmu.Unlock()
	if err != nil {
		h.pool.discard(h.c)
	}
	return err
}

// Release gives the handle back. Further calls do nothing.
func (h *Handle) Release() (err error) {
	h.once.Do(func() { err = h.pool.release(h.c) })
	return err
}
