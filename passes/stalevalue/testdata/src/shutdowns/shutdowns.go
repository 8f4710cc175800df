// Package shutdowns is about functions that set a flag and then act on what a callee returns.
package shutdowns

import (
	"io"
	"sync"
	"sync/atomic"
)

// A stack locks by itself.
type stack struct {
	mu    sync.Mutex
	items []io.Closer
	limit int
}

func (s *stack) push(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) >= s.limit {
		return false
	}
	s.items = append(s.items, c)
	return true
}

func (s *stack) pop() io.Closer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.items)
	if n == 0 {
		return nil
	}
	c := s.items[n-1]
	s.items = s.items[:n-1]
	return c
}

func (s *stack) drain() []io.Closer {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := s.items
	s.items = nil
	return items
}

// A Pool keeps what can be used again.
type Pool struct {
	free stack

	mu     sync.Mutex
	closed bool
}

func NewPool() *Pool { return &Pool{free: stack{limit: 8}} }

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Put may put into a pool that has been drained: that there is room says nothing of it.
func (p *Pool) Put(c io.Closer) error {
	if p.isClosed() {
		return c.Close()
	}
	if !p.free.push(c) { // want `check-then-act: p\.closed was checked at line \d+`
		return c.Close()
	}
	return nil
}

// PutBefore holds the lock that Close needs first.
func (p *Pool) PutBefore(c io.Closer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.free.push(c) {
		return c.Close()
	}
	return nil
}

// Get only takes out.
func (p *Pool) Get() io.Closer {
	if p.isClosed() {
		return nil
	}
	return p.free.pop()
}

func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for _, c := range p.free.drain() {
		c.Close()
	}
}

// A Rack looks at its flag again.
type Rack struct {
	closed atomic.Bool
	mu     sync.Mutex
	idle   []io.Closer
}

func (r *Rack) Put(c io.Closer) {
	if r.closed.Load() {
		c.Close()
		return
	}
	r.mu.Lock()
	r.idle = append(r.idle, c)
	r.mu.Unlock()
	if r.closed.Load() {
		r.clear()
	}
}

func (r *Rack) PutOnly(c io.Closer) {
	if r.closed.Load() {
		c.Close()
		return
	}
	r.mu.Lock()
	r.idle = append(r.idle, c) // want `check-then-act: r\.closed was checked at line \d+`
	r.mu.Unlock()
}

func (r *Rack) clear() {
	r.mu.Lock()
	idle := r.idle
	r.idle = nil
	r.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}

func (r *Rack) Close() {
	r.closed.Store(true)
	r.clear()
}
