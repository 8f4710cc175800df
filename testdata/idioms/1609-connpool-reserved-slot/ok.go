// Package a is a pool of connections to a legacy mainframe.
package a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrClosed is returned after the pool was closed.
var ErrClosed = errors.New("pool: closed")

// Dial opens a connection.
type Dial func(ctx context.Context) (io.ReadWriteCloser, error)

// Pool opens at most a fixed number of connections.
type Pool struct {
	dial Dial
	max  int

	mu     sync.Mutex
	freed  *sync.Cond
	idle   []io.ReadWriteCloser
	open   int
	closed bool
}

// NewPool returns a pool of up to n connections.
func NewPool(dial Dial, n int) *Pool {
	p := &Pool{dial: dial, max: n}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// Get returns an idle connection, opens a new one, or waits for one.
func (p *Pool) Get(ctx context.Context) (io.ReadWriteCloser, error) {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})
	defer stop()

	p.mu.Lock()
	for !p.closed && ctx.Err() == nil && len(p.idle) == 0 && p.open >= p.max {
		p.freed.Wait()
	}
	if p.closed || ctx.Err() != nil {
		err := ctx.Err()
		if p.closed {
			err = ErrClosed
		}
		p.freed.Signal()
		p.mu.Unlock()
		return nil, err
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.open++
	p.mu.Unlock()

	c, err := p.dial(ctx)
	if err != nil {
		p.mu.Lock()
		p.open--
		p.freed.Signal()
		p.mu.Unlock()
		return nil, fmt.Errorf("pool: dial: %w", err)
	}
	return c, nil
}

// Put gives a connection back; a broken one is closed.
func (p *Pool) Put(c io.ReadWriteCloser, broken bool) error {
	p.mu.Lock()
	if !broken && !p.closed {
		p.idle = append(p.idle, c)
		p.freed.Signal()
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()

	err := c.Close()
	p.mu.Lock()
	p.open--
	p.freed.Signal()
	p.mu.Unlock()
	return err
}

// Close closes the idle connections; the others are closed by Put.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	p.closed = true
	p.freed.Broadcast()
	p.mu.Unlock()
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
