// Package a is the connection pool of a key-value client.
package a

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

var (
	ErrClosed    = errors.New("pool: closed")
	ErrExhausted = errors.New("pool: all connections are in use")
)

// Conn is one pooled connection.
type Conn struct {
	io.ReadWriteCloser
	lastUsed time.Time
}

// Dialer opens a connection to the server.
type Dialer interface {
	Dial(ctx context.Context) (io.ReadWriteCloser, error)
}

// Options configure a pool.
type Options struct {
	// Size bounds the connections; the server refuses clients with more.
	Size        int
	IdleTimeout time.Duration
}

// Pool hands out connections.
type Pool struct {
	opt    Options
	dialer Dialer

	mu     sync.Mutex
	idle   []*Conn
	open   int // idle ones and those handed out
	closed bool
}

// NewPool returns an empty pool.
func NewPool(d Dialer, opt Options) *Pool {
	if opt.Size <= 0 {
		opt.Size = 10
	}
	return &Pool{opt: opt, dialer: d}
}

// Get returns an idle connection or dials a new one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	cn, err := p.take()
	if cn != nil || err != nil {
		return cn, err
	}
	return p.newConn(ctx)
}

// take returns the idle connection that was used last. Without an error and a
// connection the caller may dial one.
func (p *Pool) take() (*Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		cn := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return cn, nil
	}
	if p.open >= p.opt.Size {
		return nil, ErrExhausted
	}
	return nil, nil
}

// newConn dials a connection for the pool.
func (p *Pool) newConn(ctx context.Context) (*Conn, error) {
	rwc, err := p.dialer.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return p.adopt(rwc)
}

// adopt wraps a fresh connection, which is of no use to a closed pool.
func (p *Pool) adopt(rwc io.ReadWriteCloser) (*Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		rwc.Close()
		return nil, ErrClosed
	}
	p.open++
	return &Conn{ReadWriteCloser: rwc, lastUsed: time.Now()}, nil
}

// Put gives a healthy connection back.
func (p *Pool) Put(cn *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		cn.Close()
		p.open--
		return
	}
	cn.lastUsed = time.Now()
	p.idle = append(p.idle, cn)
}

// Discard closes a connection that is broken.
func (p *Pool) Discard(cn *Conn) {
	cn.Close()
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
}

// ReapIdle closes what has been idle for too long and returns the number.
func (p *Pool) ReapIdle(now time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	keep := p.idle[:0]
	n := 0
	for _, cn := range p.idle {
		if now.Sub(cn.lastUsed) > p.opt.IdleTimeout {
			cn.Close()
			n++
			continue
		}
		keep = append(keep, cn)
	}
	p.idle = keep
	p.open -= n
	return n
}

// Close closes the idle connections; the others are closed on return.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, cn := range p.idle {
		cn.Close()
	}
	p.open -= len(p.idle)
	p.idle = nil
}
