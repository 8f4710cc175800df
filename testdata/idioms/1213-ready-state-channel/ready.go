package cache

import (
	"context"
	"errors"
	"sync"
)

var errNotReady = errors.New("cache: not ready")

// ready tracks readiness state changes and allows callers to wait for a target state
type ready struct {
	mu      sync.Mutex
	isReady bool
	stateCh chan struct{} // closed on any state transition, then replaced immediately
}

func newReady() *ready {
	return &ready{stateCh: make(chan struct{})}
}

// Ready returns true if the snapshot has been loaded and the first watch has been confirmed.
func (r *ready) Ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isReady
}

// WaitReady blocks until the cache is ready or the ctx is cancelled.
func (r *ready) WaitReady(ctx context.Context) error {
	return r.waitForState(ctx, func() bool { return r.isReady })
}

// WaitNotReady blocks until the cache is not ready or the ctx is cancelled.
func (r *ready) WaitNotReady(ctx context.Context) error {
	return r.waitForState(ctx, func() bool { return !r.isReady })
}

func (r *ready) Set() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isReady {
		r.isReady = true
		close(r.stateCh)
		r.stateCh = make(chan struct{})
	}
}

func (r *ready) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isReady {
		r.isReady = false
		close(r.stateCh)
		r.stateCh = make(chan struct{})
	}
}

func (r *ready) waitForState(ctx context.Context, pred func() bool) error {
	for {
		r.mu.Lock()
		if pred() {
			r.mu.Unlock()
			return ctx.Err()
		}
		stateChCopy := r.stateCh
		r.mu.Unlock()

		select {
		case <-stateChCopy:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type event struct {
	key, value string
	err        error
}

// Cache buffers a single watch and serves reads from it.
type Cache struct {
	ready *ready

	mu    sync.RWMutex
	items map[string]string
}

// New creates a cache that is fed by events.
func New(ctx context.Context, events func(context.Context) <-chan event) *Cache {
	c := &Cache{ready: newReady(), items: make(map[string]string)}
	go c.watch(ctx, events)
	return c
}

func (c *Cache) watch(ctx context.Context, events func(context.Context) <-chan event) {
	for ctx.Err() == nil {
		for ev := range events(ctx) {
			if ev.err != nil {
				c.ready.Reset()
				c.reset()
				break
			}
			c.apply(ev)
			c.ready.Set()
		}
	}
}

func (c *Cache) apply(ev event) {
	c.mu.Lock()
	c.items[ev.key] = ev.value
	c.mu.Unlock()
}

func (c *Cache) reset() {
	c.mu.Lock()
	c.items = make(map[string]string)
	c.mu.Unlock()
}

// WaitReady blocks until the cache is ready or the ctx is cancelled.
func (c *Cache) WaitReady(ctx context.Context) error { return c.ready.WaitReady(ctx) }

// Len returns the number of items that are cached at the moment.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.items)
}
