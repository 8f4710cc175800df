// Package connpool shares a few connections among many callers, in turn.
package connpool

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Dial opens a connection.
type Dial func(ctx context.Context) (io.ReadWriteCloser, error)

// Pool opens at most max connections; further callers queue up.
type Pool struct {
	dial Dial
	max  int

	mu      sync.Mutex
	open    int // connections and slots reserved for them
	idle    []io.ReadWriteCloser
	waiters []chan io.ReadWriteCloser
}

func New(dial Dial, max int) *Pool {
	return &Pool{dial: dial, max: max}
}

// Get returns a connection, waiting for one if need be.
func (p *Pool) Get(ctx context.Context) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.open < p.max {
		p.open++
		p.mu.Unlock()
		return p.fill(ctx)
	}
	w := make(chan io.ReadWriteCloser, 1)
	p.waiters = append(p.waiters, w)
	p.mu.Unlock()

	select {
	case c := <-w:
		if c == nil {
			return p.fill(ctx)
		}
		return c, nil
	case <-ctx.Done():
		if !p.leave(w) {
			p.give(<-w)
		}
		return nil, ctx.Err()
	}
}

// fill dials for a slot that the caller owns.
func (p *Pool) fill(ctx context.Context) (io.ReadWriteCloser, error) {
	c, err := p.dial(ctx)
	if err != nil {
		p.give(nil)
		return nil, err
	}
	return c, nil
}

// leave takes a waiter out of the queue; false means that it has been served.
func (p *Pool) leave(w chan io.ReadWriteCloser) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiters, w)
	if i < 0 {
		return false
	}
	p.waiters = slices.Delete(p.waiters, i, i+1)
	return true
}

// give passes on a connection, or a free slot if c is nil.
func (p *Pool) give(c io.ReadWriteCloser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiters) > 0 {
		w := p.waiters[0]
		p.waiters = p.waiters[1:]
		w <- c
		return
	}
	if c == nil {
		p.open--
		return
	}
	p.idle = append(p.idle, c)
}

// Put gives a connection back after use.
func (p *Pool) Put(c io.ReadWriteCloser, broken bool) {
	if broken {
		c.Close()
		p.give(nil)
		return
	}
	p.give(c)
}

// Stats reports open connections and queued callers.
func (p *Pool) Stats() (open, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open, len(p.waiters)
}
