// Package mailpool keeps connections to the mail relay.
package mailpool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed means that the pool was closed.
var ErrClosed = errors.New("mailpool: closed")

// Relay is a connection to the relay.
type Relay interface {
	io.Closer
	Deliver(from, to string, body []byte) error
	Reset() error
}

type pooled struct {
	relay Relay
	sent  int
	idle  time.Time
}

// Pool reuses relay connections.
type Pool struct {
	connect func(ctx context.Context) (Relay, error)
	perConn int
	ttl     time.Duration

	mu     sync.Mutex
	free   []*pooled
	closed bool
}

// New returns a pool whose connections are used for perConn messages each.
func New(connect func(context.Context) (Relay, error), perConn int, ttl time.Duration) *Pool {
	return &Pool{connect: connect, perConn: perConn, ttl: ttl}
}

func (p *Pool) take() (*pooled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	n := len(p.free)
	if n == 0 {
		return nil, nil
	}
	c := p.free[n-1]
	p.free[n-1] = nil
	p.free = p.free[:n-1]
	return c, nil
}

func (p *Pool) put(c *pooled) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.sent >= p.perConn {
		return false
	}
	c.idle = time.Now()
	p.free = append(p.free, c)
	return true
}

// Send delivers a message.
func (p *Pool) Send(ctx context.Context, from, to string, body []byte) error {
	c, err := p.take()
	if err != nil {
		return err
	}
	if c == nil {
		r, err := p.connect(ctx)
		if err != nil {
			return fmt.Errorf("mailpool: connect: %w", err)
		}
		c = &pooled{relay: r}
	}
	if err := c.relay.Deliver(from, to, body); err != nil {
		if c.relay.Reset() != nil || !p.put(c) {
			_ = c.relay.Close()
		}
		return fmt.Errorf("mailpool: deliver to %s: %w", to, err)
	}
	c.sent++
	if !p.put(c) {
		_ = c.relay.Close()
	}
	return nil
}

// Reap closes connections that were idle for too long.
func (p *Pool) Reap(now time.Time) {
	p.mu.Lock()
	var old []*pooled
	keep := p.free[:0]
	for _, c := range p.free {
		if now.Sub(c.idle) > p.ttl {
			old = append(old, c)
			continue
		}
		keep = append(keep, c)
	}
	clear(p.free[len(keep):])
	p.free = keep
	p.mu.Unlock()
	for _, c := range old {
		_ = c.relay.Close()
	}
}

// Close closes the pool.
func (p *Pool) Close() {
	p.mu.Lock()
	free := p.free
	p.free, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range free {
		_ = c.relay.Close()
	}
}
