// Package handles keeps file handles open between uses. Handles are counted;
// one that has not been used for a while is closed once its last user is done.
package handles

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by a closed pool.
var ErrClosed = errors.New("handles: pool closed")

// Handle is a counted resource. The pool itself has one reference for as long
// as the handle can be found in it.
type Handle[H io.Closer] struct {
	Value H

	refs atomic.Int32
	used atomic.Int64 // unix nanoseconds
}

func (h *Handle[H]) retain() {
	h.refs.Add(1)
	h.used.Store(time.Now().UnixNano())
}

// Release gives up a reference.
func (h *Handle[H]) Release() error {
	if h.refs.Add(-1) == 0 {
		return h.Value.Close()
	}
	return nil
}

// Pool opens resources on demand. It is safe for concurrent use.
type Pool[K comparable, H io.Closer] struct {
	open func(K) (H, error)
	idle time.Duration
	stop chan struct{}

	mu      sync.RWMutex
	handles map[K]*Handle[H]
	closed  bool
}

// New returns a pool that closes handles after idle.
func New[K comparable, H io.Closer](open func(K) (H, error), idle time.Duration) *Pool[K, H] {
	p := &Pool[K, H]{
		open:    open,
		idle:    idle,
		stop:    make(chan struct{}),
		handles: make(map[K]*Handle[H]),
	}
	go p.sweeper()
	return p
}

// Acquire returns the handle for key, opening it if needed. The caller has to
// release it.
func (p *Pool[K, H]) Acquire(key K) (*Handle[H], error) {
	if h, ok := p.lookup(key); ok {
		h.retain()
		return h, nil
	}
	return p.load(key)
}

func (p *Pool[K, H]) lookup(key K) (*Handle[H], bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	h, ok := p.handles[key]
	return h, ok
}

func (p *Pool[K, H]) load(key K) (*Handle[H], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if h, ok := p.handles[key]; ok {
		h.retain()
		return h, nil
	}
	v, err := p.open(key)
	if err != nil {
		return nil, err
	}
	h := &Handle[H]{Value: v}
	h.refs.Store(1)
	h.retain()
	p.handles[key] = h
	return h, nil
}

func (p *Pool[K, H]) sweeper() {
	tick := time.NewTicker(p.idle)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-tick.C:
			for _, h := range p.detach(now.Add(-p.idle).UnixNano()) {
				_ = h.Release()
			}
		}
	}
}

// detach takes the handles out of the pool that nobody holds and nobody has
// asked for since limit.
func (p *Pool[K, H]) detach(limit int64) []*Handle[H] {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*Handle[H]
	for k, h := range p.handles {
		if h.refs.Load() == 1 && h.used.Load() < limit {
			delete(p.handles, k)
			out = append(out, h)
		}
	}
	return out
}

// Drop forgets the handle for key, for example because the file was replaced.
// Present users keep what they have.
func (p *Pool[K, H]) Drop(key K) error {
	p.mu.Lock()
	h, ok := p.handles[key]
	delete(p.handles, key)
	p.mu.Unlock()
	if !ok {
		return nil
	}
	return h.Release()
}

// Close drops all handles. Those in use are closed by their last user.
func (p *Pool[K, H]) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.closed = true
	close(p.stop)
	all := p.handles
	p.handles = nil
	p.mu.Unlock()

	var errs []error
	for _, h := range all {
		errs = append(errs, h.Release())
	}
	return errors.Join(errs...)
}
