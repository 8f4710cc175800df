// Package dbpool keeps connections to one database server.
package dbpool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrExhausted = errors.New("dbpool: no connection available")
	ErrClosed    = errors.New("dbpool: closed")
)

// Session is the wire side of a connection.
type Session interface {
	Exec(ctx context.Context, query string, args ...any) error
	Close() error
}

// Dialer opens sessions.
type Dialer func(ctx context.Context) (Session, error)

// Conn is a pooled connection. One goroutine uses it at a time.
type Conn struct {
	Session
	born time.Time
}

// Config bounds a pool.
type Config struct {
	MaxOpen     int
	MaxLifetime time.Duration
}

// Pool hands out connections.
type Pool struct {
	dial Dialer
	cfg  Config

	mu     sync.Mutex
	idle   []*Conn
	open   int
	closed bool
}

// New returns an empty pool.
func New(d Dialer, cfg Config) *Pool {
	if cfg.MaxOpen <= 0 {
		cfg.MaxOpen = 10
	}
	if cfg.MaxLifetime <= 0 {
		cfg.MaxLifetime = 30 * time.Minute
	}
	return &Pool{dial: d, cfg: cfg}
}

// Get returns an idle connection or opens one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.open >= p.cfg.MaxOpen {
		p.mu.Unlock()
		return nil, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	s, err := p.dial(ctx)
	if err != nil {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
		return nil, err
	}
	return &Conn{Session: s, born: time.Now()}, nil
}

// Put gives a connection back; broken ones are dropped.
func (p *Pool) Put(c *Conn, broken bool) {
	p.mu.Lock()
	if !broken && !p.closed {
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.open--
	p.mu.Unlock()
	_ = c.Close()
}

// Exec runs one statement.
func (p *Pool) Exec(ctx context.Context, query string, args ...any) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	err = c.Exec(ctx, query, args...)
	p.Put(c, err != nil)
	return err
}

// Run closes connections that have reached their lifetime, until ctx ends.
func (p *Pool) Run(ctx context.Context) {
	t := time.NewTicker(p.cfg.MaxLifetime / 4)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			p.clean(now)
		}
	}
}

func (p *Pool) clean(now time.Time) {
	for _, c := range p.expired(now) {
		_ = c.Close()
		p.discard(c)
	}
}

// expired returns the idle connections that are past their lifetime.
func (p *Pool) expired(now time.Time) []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	var old []*Conn
	for _, c := range p.idle {
		if now.Sub(c.born) >= p.cfg.MaxLifetime {
			old = append(old, c)
		}
	}
	return old
}

// discard takes a connection out of the idle list.
func (p *Pool) discard(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.idle, c); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.open--
	}
}

// Close drops the idle connections; those in use are dropped when they come
// back.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	p.mu.Unlock()
	for _, c := range idle {
		_ = c.Close()
	}
}
