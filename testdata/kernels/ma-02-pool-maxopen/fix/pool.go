// Package dbpool keeps a bounded set of connections to one database node.
package dbpool

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

var (
	ErrExhausted = errors.New("dbpool: too many open connections")
	ErrClosed    = errors.New("dbpool: pool is closed")
)

// Dialer opens one connection.
type Dialer func(ctx context.Context) (net.Conn, error)

// Options configures a Pool.
type Options struct {
	MaxOpen     int
	MaxIdle     int
	DialTimeout time.Duration
}

func (o *Options) defaults() {
	if o.MaxOpen <= 0 {
		o.MaxOpen = 32
	}
	if o.MaxIdle <= 0 || o.MaxIdle > o.MaxOpen {
		o.MaxIdle = o.MaxOpen / 2
	}
	if o.DialTimeout <= 0 {
		o.DialTimeout = 3 * time.Second
	}
}

// Stats is a snapshot of the pool.
type Stats struct {
	Open, Idle int
	Refused    uint64
}

// Pool is a connection pool. A connection handed out by Get goes back by Put.
type Pool struct {
	dial Dialer
	opts Options

	mu      sync.Mutex
	idle    []net.Conn
	open    int
	refused uint64
	closed  bool
}

// New returns an empty pool.
func New(dial Dialer, opts Options) *Pool {
	opts.defaults()
	return &Pool{dial: dial, opts: opts}
}

// Get returns an idle connection or opens one.
func (p *Pool) Get(ctx context.Context) (net.Conn, error) {
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
		p.refused++
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	dctx, cancel := context.WithTimeout(ctx, p.opts.DialTimeout)
	defer cancel()
	c, err := p.dial(dctx)
	if err != nil {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
		return nil, err
	}
	return c, nil
}

// Put gives a connection back. A broken one is closed.
func (p *Pool) Put(c net.Conn, broken bool) {
	p.mu.Lock()
	if !broken && !p.closed && len(p.idle) < p.opts.MaxIdle {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.open--
	p.mu.Unlock()
	_ = c.Close()
}

// Stats reports the state of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Open: p.open, Idle: len(p.idle), Refused: p.refused}
}

// Close closes the idle connections; those in use are closed by Put.
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	p.mu.Unlock()

	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
