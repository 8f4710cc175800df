package a

import (
	"context"
	"errors"
	"io"
	"sync"
)

var (
	ErrExhausted = errors.New("all connections are in use")
	ErrClosed    = errors.New("pool is closed")
)

// Pool keeps at most max connections open.
type Pool[C io.Closer] struct {
	dial func(context.Context) (C, error)
	max  int

	mu     sync.Mutex
	open   int // parked, in use or being dialled
	idle   []C
	closed bool
}

func NewPool[C io.Closer](max int, dial func(context.Context) (C, error)) *Pool[C] {
	return &Pool[C]{dial: dial, max: max}
}

// Get returns a parked connection or dials one.
func (p *Pool[C]) Get(ctx context.Context) (C, error) {
	var none C
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return none, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if p.open >= p.max {
		p.mu.Unlock()
		return none, ErrExhausted
	}
	p.open++
	p.mu.Unlock()

	c, err := p.dial(ctx)

	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.open--
		return none, err
	}
	if p.closed {
		p.open--
		c.Close()
		return none, ErrClosed
	}
	return c, nil
}

// Put gives a connection back; a broken one is dropped.
func (p *Pool[C]) Put(c C, broken bool) {
	p.mu.Lock()
	drop := broken || p.closed
	if drop {
		p.open--
	} else {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if drop {
		c.Close()
	}
}

// Close drops the parked connections; those in use go when they are put back.
func (p *Pool[C]) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.open -= len(idle)
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
