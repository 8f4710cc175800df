// Package dlock is a client of a lock service with sessions.
package dlock

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Errors of the lock service.
var (
	ErrRefused = errors.New("dlock: session refused")
	ErrLost    = errors.New("dlock: lock lost")
)

// Service is the remote side.
type Service interface {
	Acquire(ctx context.Context, name string) (session string, fence uint64, err error)
	KeepAlive(ctx context.Context, session string) error
	Release(ctx context.Context, session string) error
}

// Client takes locks.
type Client struct {
	svc   Service
	every time.Duration
	grace time.Duration
	held  atomic.Int64
}

// Option changes a Client.
type Option func(*Client)

// WithInterval sets how often sessions are kept alive.
func WithInterval(d time.Duration) Option { return func(c *Client) { c.every = d } }

// WithGrace sets how long the service may be silent.
func WithGrace(d time.Duration) Option { return func(c *Client) { c.grace = d } }

// New returns a client of svc.
func New(svc Service, opts ...Option) *Client {
	c := &Client{svc: svc, every: 3 * time.Second, grace: 10 * time.Second}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Held is a lock we have.
type Held struct {
	Name  string
	Fence uint64

	c       *Client
	session string
	last    atomic.Int64
	lost    chan struct{}
	stop    context.CancelFunc
}

// Lock takes a lock.
func (c *Client) Lock(ctx context.Context, name string) (*Held, error) {
	session, fence, err := c.svc.Acquire(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("dlock: acquire %s: %w", name, err)
	}
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &Held{Name: name, Fence: fence, c: c, session: session, lost: make(chan struct{}), stop: stop}
	h.last.Store(time.Now().UnixNano())
	c.held.Add(1)
	go h.keepAlive(bg)
	return h, nil
}

// Lost is closed when the lock must not be relied on any more.
func (h *Held) Lost() <-chan struct{} { return h.lost }

// Valid reports whether the lock was still ours a moment ago.
func (h *Held) Valid() bool {
	select {
	case <-h.lost:
		return false
	default:
		return true
	}
}

func (h *Held) drop() {
	if !h.Valid() {
		return
	}
	h.c.held.Add(-1)
	close(h.lost)
}

func (h *Held) silent() time.Duration {
	return time.Since(time.Unix(0, h.last.Load()))
}

func (h *Held) keepAlive(ctx context.Context) {
	t := time.NewTicker(h.c.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		err := h.c.svc.KeepAlive(ctx, h.session)
		switch {
		case err == nil:
			h.last.Store(time.Now().UnixNano())
		case errors.Is(err, ErrRefused), h.silent() > h.c.grace:
			h.drop()
			return
		}
	}
}

// Unlock gives the lock back; it may be called more than once.
func (h *Held) Unlock(ctx context.Context) error {
	if !h.Valid() {
		return ErrLost
	}
	h.stop()
	h.drop()
	return h.c.svc.Release(ctx, h.session)
}

// Do runs fn under the lock, with a context which ends when the lock is lost.
func (c *Client) Do(ctx context.Context, name string, fn func(ctx context.Context, fence uint64) error) error {
	h, err := c.Lock(ctx, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		select {
		case <-h.Lost():
			cancel(ErrLost)
		case <-done:
		}
	}()
	err = fn(ctx, h.Fence)
	close(done)
	uerr := h.Unlock(context.WithoutCancel(ctx))
	cancel(nil)
	return errors.Join(err, uerr)
}

// Count returns the locks of this process.
func (c *Client) Count() int64 { return c.held.Load() }
