// Package connpool keeps idle connections of an RPC client for reuse.
package connpool

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by Get after Close.
var ErrClosed = errors.New("connpool: closed")

// Conn is a connection to a server.
type Conn interface {
	io.Closer
	// Healthy reports whether the connection can carry another call.
	Healthy() bool
}

// idleConn is a connection that waits for its next use.
type idleConn struct {
	Conn
	since time.Time
}

// Stats are counters of a pool.
type Stats struct {
	Dialed int64
	Reused int64
}

// Pool is a set of idle connections. It is safe for concurrent use. The
// number of connections in use is not limited.
type Pool struct {
	dial    func(ctx context.Context) (Conn, error)
	maxIdle time.Duration

	idle   chan idleConn
	closed atomic.Bool

	dialed atomic.Int64
	reused atomic.Int64
}

// New returns a pool that keeps up to size idle connections.
func New(size int, maxIdle time.Duration, dial func(ctx context.Context) (Conn, error)) *Pool {
	return &Pool{dial: dial, maxIdle: maxIdle, idle: make(chan idleConn, size)}
}

// usable reports whether an idle connection can be handed out.
func (p *Pool) usable(c idleConn) bool {
	return time.Since(c.since) < p.maxIdle && c.Healthy()
}

// Get returns a connection for the exclusive use of the caller, who gives it
// back with Put.
func (p *Pool) Get(ctx context.Context) (Conn, error) {
	for {
		if p.closed.Load() {
			return nil, ErrClosed
		}
		select {
		case c := <-p.idle:
			if p.usable(c) {
				p.reused.Add(1)
				return c.Conn, nil
			}
			c.Close()
		default:
			c, err := p.dial(ctx)
			if err != nil {
				return nil, err
			}
			p.dialed.Add(1)
			return c, nil
		}
	}
}

// Put gives a connection back. The caller must not use it any more.
func (p *Pool) Put(c Conn) {
	if p.closed.Load() || !c.Healthy() {
		c.Close()
		return
	}
	select {
	case p.idle <- idleConn{Conn: c, since: time.Now()}:
	default:
		c.Close()
		return
	}
	if p.closed.Load() {
		p.drain()
	}
}

// drain closes the idle connections.
func (p *Pool) drain() {
	for {
		select {
		case c := <-p.idle:
			c.Close()
		default:
			return
		}
	}
}

// Close closes the idle connections. Connections in use are closed when they
// are given back.
func (p *Pool) Close() {
	p.closed.Store(true)
	p.drain()
}

// Do gets a connection, passes it to fn and gives it back.
func (p *Pool) Do(ctx context.Context, fn func(Conn) error) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	defer p.Put(c)
	return fn(c)
}

// Stats returns the counters.
func (p *Pool) Stats() Stats {
	return Stats{Dialed: p.dialed.Load(), Reused: p.reused.Load()}
}
