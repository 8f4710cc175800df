package kvclient

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned by a pool that was closed.
var ErrClosed = errors.New("kvclient: pool is closed")

// Pool keeps idle connections, the one used last in front.
type Pool struct {
	dial    func() (*Conn, error)
	maxIdle int
	maxAge  time.Duration

	mu     sync.Mutex
	idle   *list.List
	closed bool
}

// NewPool returns an empty pool.
func NewPool(dial func() (*Conn, error), maxIdle int, maxAge time.Duration) *Pool {
	return &Pool{dial: dial, maxIdle: maxIdle, maxAge: maxAge, idle: list.New()}
}

func (p *Pool) locked(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

func (p *Pool) freshest() (c *Conn, err error) {
	p.locked(func() {
		if p.closed {
			err = ErrClosed
			return
		}
		if front := p.idle.Front(); front != nil {
			c = front.Value.(*Conn)
		}
	})
	return c, err
}

func (p *Pool) unlink(c *Conn) {
	p.locked(func() {
		if c.elem != nil {
			p.idle.Remove(c.elem)
			c.elem = nil
		}
	})
}

// Borrow returns a connection for exclusive use.
func (p *Pool) Borrow() (*Conn, error) {
	for {
		c, err := p.freshest()
		if err != nil {
			return nil, err
		}
		if c == nil {
			return p.dial()
		}
		p.unlink(c)
		if time.Since(c.used()) < p.maxAge {
			return c, nil
		}
		_ = c.Close()
	}
}

// Return gives a connection back.
func (p *Pool) Return(c *Conn, broken bool) {
	c.touch()
	keep := false
	p.locked(func() {
		if broken || p.closed || p.idle.Len() >= p.maxIdle {
			return
		}
		c.elem = p.idle.PushFront(c)
		keep = true
	})
	if !keep {
		_ = c.Close()
	}
}

// Prune closes connections that were idle for too long and returns how many.
func (p *Pool) Prune(now time.Time) int {
	var old []*Conn
	p.locked(func() {
		for e := p.idle.Back(); e != nil; e = p.idle.Back() {
			c := e.Value.(*Conn)
			if now.Sub(c.used()) < p.maxAge {
				return
			}
			p.idle.Remove(e)
			c.elem = nil
			old = append(old, c)
		}
	})
	for _, c := range old {
		_ = c.Close()
	}
	return len(old)
}

// Close closes the pool and its idle connections.
func (p *Pool) Close() {
	var all []*Conn
	p.locked(func() {
		p.closed = true
		for e := p.idle.Front(); e != nil; e = e.Next() {
			all = append(all, e.Value.(*Conn))
		}
		p.idle.Init()
	})
	for _, c := range all {
		_ = c.Close()
	}
}
