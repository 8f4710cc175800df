package dbpool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned by a closed pool.
var ErrClosed = errors.New("dbpool: closed")

// Conn is a session with the database server.
type Conn interface {
	Exec(ctx context.Context, query string, args ...any) error
	Close() error
}

// Connector opens sessions.
type Connector func(ctx context.Context) (Conn, error)

// Pool limits the number of sessions and keeps them for reuse.
type Pool struct {
	connect Connector
	max     int

	mu      sync.Mutex
	idle    []Conn
	open    int
	waiters []chan Conn // a nil Conn says that there is room to connect
	closed  bool

	waits    int64
	waitTime time.Duration
}

// New returns a pool of at most maxOpen sessions.
func New(c Connector, maxOpen int) *Pool { return &Pool{connect: c, max: maxOpen} }

// Get returns an idle session, a new one, or waits for one.
func (p *Pool) Get(ctx context.Context) (Conn, error) {
	for {
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
		if p.open < p.max {
			p.open++
			p.mu.Unlock()
			return p.connectNew(ctx)
		}
		req := make(chan Conn, 1)
		p.waiters = append(p.waiters, req)
		p.waits++
		p.mu.Unlock()

		start := time.Now()
		select {
		case c := <-req:
			p.waited(start)
			if c != nil {
				return c, nil
			}
		case <-ctx.Done():
			p.waited(start)
			p.cancel(req)
			return nil, ctx.Err()
		}
	}
}

func (p *Pool) connectNew(ctx context.Context) (Conn, error) {
	c, err := p.connect(ctx)
	if err != nil {
		p.mu.Lock()
		p.open--
		p.handoffLocked(nil)
		p.mu.Unlock()
		return nil, fmt.Errorf("dbpool: connect: %w", err)
	}
	return c, nil
}

func (p *Pool) waited(start time.Time) {
	p.mu.Lock()
	p.waitTime += time.Since(start)
	p.mu.Unlock()
}

// cancel withdraws the request of a caller that gave up.
func (p *Pool) cancel(req chan Conn) {
	p.mu.Lock()
	if i := slices.Index(p.waiters, req); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	}
	p.mu.Unlock()
}

// handoffLocked gives c to the caller that waits longest.
func (p *Pool) handoffLocked(c Conn) bool {
	if len(p.waiters) == 0 {
		return false
	}
	req := p.waiters[0]
	p.waiters = slices.Delete(p.waiters, 0, 1)
	req <- c
	return true
}

// Put gives a session back. One that failed with err is closed.
func (p *Pool) Put(c Conn, err error) {
	p.mu.Lock()
	if err != nil || p.closed {
		p.open--
		p.handoffLocked(nil)
		p.mu.Unlock()
		_ = c.Close()
		return
	}
	if !p.handoffLocked(c) {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
}

// Exec runs one statement on some session.
func (p *Pool) Exec(ctx context.Context, query string, args ...any) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	err = c.Exec(ctx, query, args...)
	p.Put(c, err)
	return err
}

// Close closes idle sessions now and the others when they come back.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	for p.handoffLocked(nil) {
	}
	p.mu.Unlock()
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Stats describes the pool.
type Stats struct {
	Open, Idle, Waiting int
	Waits               int64
	WaitTime            time.Duration
}

// Stats returns the current numbers.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Open: p.open, Idle: len(p.idle), Waiting: len(p.waiters), Waits: p.waits, WaitTime: p.waitTime}
}
