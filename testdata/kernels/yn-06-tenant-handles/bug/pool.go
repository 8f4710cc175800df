// Package bug shares one open handle per key among many users.
package bug

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

var ErrClosed = errors.New("pool: closed")

type entry[V io.Closer] struct {
	val  V
	pins int
	used time.Time
}

// Pool opens handles on demand and closes those that nobody has used for a
// while. A handle is not closed while somebody has a lease on it.
type Pool[K comparable, V io.Closer] struct {
	open func(context.Context, K) (V, error)
	idle time.Duration
	stop chan struct{}

	mu      sync.Mutex
	closed  bool
	entries map[K]*entry[V]
}

// Lease is the right to use a handle until it is released.
type Lease[K comparable, V io.Closer] struct {
	pool *Pool[K, V]
	e    *entry[V]
	once sync.Once
}

func NewPool[K comparable, V io.Closer](open func(context.Context, K) (V, error), idle time.Duration) *Pool[K, V] {
	p := &Pool[K, V]{
		open:    open,
		idle:    idle,
		stop:    make(chan struct{}),
		entries: make(map[K]*entry[V]),
	}
	go p.sweepLoop()
	return p
}

// Value is the handle.
func (l *Lease[K, V]) Value() V { return l.e.val }

// Release gives the handle back.
func (l *Lease[K, V]) Release() {
	l.once.Do(func() { l.pool.unpin(l.e) })
}

// Acquire leases the handle of a key and opens it if need be.
func (p *Pool[K, V]) Acquire(ctx context.Context, key K) (*Lease[K, V], error) {
	if e := p.lookup(key); e != nil {
		return p.lease(e), nil
	}
	val, err := p.open(ctx, key)
	if err != nil {
		return nil, err
	}
	e, err := p.adopt(key, val)
	if err != nil {
		return nil, err
	}
	return &Lease[K, V]{pool: p, e: e}, nil
}

func (p *Pool[K, V]) lookup(key K) *entry[V] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[key]
}

func (p *Pool[K, V]) lease(e *entry[V]) *Lease[K, V] {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.pins++
	return &Lease[K, V]{pool: p, e: e}
}

// adopt enters a fresh handle, pinned. If another caller was faster its handle
// is used and the fresh one is closed.
func (p *Pool[K, V]) adopt(key K, val V) (*entry[V], error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.Join(ErrClosed, val.Close())
	}
	if e, ok := p.entries[key]; ok {
		e.pins++
		p.mu.Unlock()
		_ = val.Close()
		return e, nil
	}
	e := &entry[V]{val: val, pins: 1}
	p.entries[key] = e
	p.mu.Unlock()
	return e, nil
}

func (p *Pool[K, V]) unpin(e *entry[V]) {
	p.mu.Lock()
	e.pins--
	e.used = time.Now()
	last := p.closed && e.pins == 0
	p.mu.Unlock()
	if last {
		e.val.Close()
	}
}

func (p *Pool[K, V]) sweepLoop() {
	t := time.NewTicker(p.idle / 2)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			p.sweep(now)
		case <-p.stop:
			return
		}
	}
}

func (p *Pool[K, V]) sweep(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, e := range p.entries {
		if e.pins == 0 && now.Sub(e.used) > p.idle {
			delete(p.entries, key)
			e.val.Close()
		}
	}
}

// Close closes what is not leased; the rest is closed with its last lease.
func (p *Pool[K, V]) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.closed = true
	close(p.stop)
	var errs []error
	for key, e := range p.entries {
		delete(p.entries, key)
		if e.pins == 0 {
			errs = append(errs, e.val.Close())
		}
	}
	return errors.Join(errs...)
}
