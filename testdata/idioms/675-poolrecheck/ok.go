// Package connpool bounds and reuses connections to a replica.
package connpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by Acquire on a closed pool.
var ErrClosed = errors.New("connpool: closed")

// Dial opens connections.
type Dial func(ctx context.Context) (net.Conn, error)

type idleConn struct {
	net.Conn
	since time.Time
}

// Pool is a set of connections.
type Pool struct {
	dial    Dial
	maxIdle time.Duration
	slots   chan struct{}
	quit    chan struct{}
	closed  atomic.Bool

	mu   sync.Mutex
	idle []idleConn
}

// New returns a pool of at most n connections in use.
func New(d Dial, n int, maxIdle time.Duration) *Pool {
	return &Pool{dial: d, maxIdle: maxIdle, slots: make(chan struct{}, n), quit: make(chan struct{})}
}

// Lent is a connection in use. Release gives it back.
type Lent struct {
	net.Conn
	pool   *Pool
	broken bool
}

// Fail marks the connection as not reusable.
func (l *Lent) Fail() { l.broken = true }

// Release ends the use of the connection. It is called once.
func (l *Lent) Release() {
	defer func() { <-l.pool.slots }()
	if l.broken {
		_ = l.Close()
		return
	}
	l.pool.put(l.Conn)
}

// Acquire waits for a free slot and returns a connection.
func (p *Pool) Acquire(ctx context.Context) (*Lent, error) {
	select {
	case p.slots <- struct{}{}:
	case <-p.quit:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.closed.Load() {
		<-p.slots
		return nil, ErrClosed
	}
	c := p.pop(time.Now())
	if c == nil {
		var err error
		if c, err = p.dial(ctx); err != nil {
			<-p.slots
			return nil, err
		}
	}
	return &Lent{Conn: c, pool: p}, nil
}

// pop returns the connection used last, unless all have been idle too long.
func (p *Pool) pop(now time.Time) net.Conn {
	p.mu.Lock()
	var fresh net.Conn
	n := len(p.idle)
	if n > 0 && now.Sub(p.idle[n-1].since) < p.maxIdle {
		fresh = p.idle[n-1].Conn
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return fresh
	}
	old := p.idle
	p.idle = nil
	p.mu.Unlock()
	shut(old)
	return nil
}

func (p *Pool) put(c net.Conn) {
	if p.closed.Load() {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, idleConn{c, time.Now()})
	p.mu.Unlock()
	if p.closed.Load() {
		p.drain()
	}
}

func (p *Pool) drain() {
	p.mu.Lock()
	all := p.idle
	p.idle = nil
	p.mu.Unlock()
	shut(all)
}

func shut(cs []idleConn) {
	for _, c := range cs {
		_ = c.Close()
	}
}

// Close closes the idle connections; lent ones are closed when they come back.
func (p *Pool) Close() {
	if !p.closed.CompareAndSwap(false, true) {
		return
	}
	close(p.quit)
	p.drain()
}
