// Package connpool keeps connections from the proxy to one backend database and
// limits how many there are.
package connpool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

var (
	// ErrClosed is returned by Get after Close.
	ErrClosed = errors.New("connpool: closed")
	// ErrExhausted is returned by Get when the limit is reached.
	ErrExhausted = errors.New("connpool: all connections in use")
)

// DialFunc connects to the backend and authenticates. It may take seconds.
type DialFunc func(ctx context.Context) (net.Conn, error)

// Conn is a connection that belongs to a pool. Whoever got it from Get hands it
// back with exactly one Put.
type Conn struct {
	net.Conn
	since time.Time
}

// Stats describes the pool at one moment.
type Stats struct {
	Open   int // including those being dialed
	Idle   int
	Closed bool
}

// Pool is safe for concurrent use by the client sessions of the proxy.
type Pool struct {
	dial    DialFunc
	limit   int
	maxAge  time.Duration
	retired func(net.Conn)

	mu     sync.Mutex
	idle   []*Conn
	open   int // connections that exist or are being dialed
	closed bool
}

// New returns a pool of at most limit connections. A connection that is
// older than maxAge when it is handed back is not reused.
func New(dial DialFunc, limit int, maxAge time.Duration) *Pool {
	return &Pool{dial: dial, limit: limit, maxAge: maxAge, retired: func(c net.Conn) { c.Close() }}
}

// Get returns an idle connection or dials a new one if the limit allows it. A
// connection that is in use when the pool is closed can be used until its Put.
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
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
		return nil, fmt.Errorf("connpool: dial: %w", err)
	}
	return &Conn{Conn: nc, since: time.Now()}, nil
}

// Put hands a connection back. broken says that it is not to be used again.
func (p *Pool) Put(c *Conn, broken bool) {
	if time.Since(c.since) > p.maxAge {
		broken = true
	}
	p.mu.Lock()
	if !broken && !p.closed {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.open--
	p.mu.Unlock()
	p.retired(c.Conn)
}

// Do runs fn with a connection. If fn fails the connection is not reused.
func (p *Pool) Do(ctx context.Context, fn func(net.Conn) error) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	broken := true
	defer func() { p.Put(c, broken) }()
	if err := fn(c.Conn); err != nil {
		return err
	}
	broken = false
	return nil
}

// Trim closes idle connections so that at most keep are left.
func (p *Pool) Trim(keep int) int {
	p.mu.Lock()
	n := max(0, len(p.idle)-max(0, keep))
	drop := append([]*Conn(nil), p.idle[:n]...)
	p.idle = append([]*Conn(nil), p.idle[n:]...)
	p.open -= n
	p.mu.Unlock()
	for _, c := range drop {
		p.retired(c.Conn)
	}
	return n
}

// Close closes the idle connections and refuses further Gets.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	drop := p.idle
	p.idle = nil
	p.open -= len(drop)
	p.mu.Unlock()
	for _, c := range drop {
		p.retired(c.Conn)
	}
}

// Stats returns the current numbers.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Open: p.open, Idle: len(p.idle), Closed: p.closed}
}
