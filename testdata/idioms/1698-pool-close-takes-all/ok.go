// Package a is a pool of idle connections.
package a

import (
	"errors"
	"io"
	"sync"
)

var ErrClosed = errors.New("pool is closed")

// Pool keeps up to maxIdle connections for reuse.
type Pool struct {
	dial    func() (io.ReadWriteCloser, error)
	maxIdle int

	mu     sync.Mutex
	idle   []io.ReadWriteCloser
	closed bool
}

func NewPool(maxIdle int, dial func() (io.ReadWriteCloser, error)) *Pool {
	return &Pool{dial: dial, maxIdle: maxIdle}
}

// popIdle takes an idle connection out of the pool, if there is one.
func (p *Pool) popIdle() (io.ReadWriteCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	c := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	return c, nil
}

// Get returns a connection that belongs to the caller until Put. A call
// that overlaps with Close may still get one.
func (p *Pool) Get() (io.ReadWriteCloser, error) {
	c, err := p.popIdle()
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	return p.dial()
}

// pushIdle reports whether the pool keeps the connection.
func (p *Pool) pushIdle(c io.ReadWriteCloser) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= p.maxIdle {
		return false
	}
	p.idle = append(p.idle, c)
	return true
}

// Put gives a connection back.
func (p *Pool) Put(c io.ReadWriteCloser) error {
	if p.pushIdle(c) {
		return nil
	}
	return c.Close()
}

// takeAll marks the pool closed and takes what is in it.
func (p *Pool) takeAll() ([]io.ReadWriteCloser, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	p.closed = true
	conns := p.idle
	p.idle = nil
	return conns, true
}

// Close closes the idle connections; those in use are closed by Put.
func (p *Pool) Close() error {
	conns, ok := p.takeAll()
	if !ok {
		return ErrClosed
	}
	var errs []error
	for _, c := range conns {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
