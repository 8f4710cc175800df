// Package pool keeps reusable sessions of any kind, for instance prepared
// database sessions.
package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned by Get once the pool is closed.
var ErrClosed = errors.New("pool: closed")

// stack is a bounded LIFO.
type stack[T any] struct {
	mu    sync.Mutex
	items []T
	limit int
}

func (s *stack[T]) push(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) >= s.limit {
		return false
	}
	s.items = append(s.items, v)
	return true
}

func (s *stack[T]) pop() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.items)
	if n == 0 {
		return v, false
	}
	v = s.items[n-1]
	var zero T
	s.items[n-1] = zero
	s.items = s.items[:n-1]
	return v, true
}

func (s *stack[T]) drain() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := s.items
	s.items = nil
	return items
}

// Options of a pool.
type Options[T io.Closer] struct {
	Open  func(ctx context.Context) (T, error)
	Check func(ctx context.Context, v T) error // optional
	Keep  int
}

// Pool keeps up to Keep free sessions.
type Pool[T io.Closer] struct {
	opts Options[T]
	free stack[T]

	mu     sync.RWMutex
	closed bool
}

// New returns an empty pool.
func New[T io.Closer](o Options[T]) (*Pool[T], error) {
	if o.Open == nil {
		return nil, errors.New("pool: Open is required")
	}
	if o.Keep <= 0 {
		o.Keep = 4
	}
	return &Pool[T]{opts: o, free: stack[T]{limit: o.Keep}}, nil
}

func (p *Pool[T]) isClosed() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.closed
}

// Get returns a free session that passes the check, or a new one.
func (p *Pool[T]) Get(ctx context.Context) (T, error) {
	var none T
	if p.isClosed() {
		return none, ErrClosed
	}
	for {
		v, ok := p.free.pop()
		if !ok {
			break
		}
		if p.opts.Check == nil {
			return v, nil
		}
		cctx, cancel := context.WithTimeout(ctx, time.Second)
		err := p.opts.Check(cctx, v)
		cancel()
		if err == nil {
			return v, nil
		}
		_ = v.Close()
	}
	v, err := p.opts.Open(ctx)
	if err != nil {
		return none, fmt.Errorf("pool: open: %w", err)
	}
	return v, nil
}

// Put gives a session back. The caller must not use it any more.
func (p *Pool[T]) Put(v T) error {
	if !p.keep(v) {
		return v.Close()
	}
	return nil
}

// keep adds v to the free sessions unless there are enough or the pool is
// closed.
func (p *Pool[T]) keep(v T) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return !p.closed && p.free.push(v)
}

// Do runs fn with a session and drops the session if fn fails.
func (p *Pool[T]) Do(ctx context.Context, fn func(T) error) error {
	v, err := p.Get(ctx)
	if err != nil {
		return err
	}
	if err := fn(v); err != nil {
		return errors.Join(err, v.Close())
	}
	return p.Put(v)
}

// Close closes the free sessions; the others are closed when they are put
// back.
func (p *Pool[T]) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	var errs []error
	for _, v := range p.free.drain() {
		errs = append(errs, v.Close())
	}
	return errors.Join(errs...)
}
