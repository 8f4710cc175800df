// Package a pools connections to the peers of a cluster.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var ErrPoolClosed = errors.New("pool: closed")

// Conn is a multiplexed connection, used by many callers at once.
type Conn interface {
	Call(ctx context.Context, method string, req []byte) ([]byte, error)
	Close() error
}

// Dialer opens connections.
type Dialer func(ctx context.Context, addr string) (Conn, error)

// Pool has at most one connection per address.
type Pool struct {
	dial Dialer

	mu     sync.RWMutex
	conns  map[string]Conn
	closed bool

	dials  atomic.Int64
	wasted atomic.Int64
}

// NewPool returns an empty pool.
func NewPool(dial Dialer) *Pool {
	return &Pool{dial: dial, conns: make(map[string]Conn)}
}

// get returns the connection to addr, dialing if need be. Dialing can take
// seconds and must not block calls to other peers.
func (p *Pool) get(ctx context.Context, addr string) (Conn, error) {
	p.mu.RLock()
	c, ok := p.conns[addr]
	closed := p.closed
	p.mu.RUnlock()
	if closed {
		return nil, ErrPoolClosed
	}
	if ok {
		return c, nil
	}

	p.dials.Add(1)
	fresh, err := p.dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("pool: dial %s: %w", addr, err)
	}

	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		fresh.Close()
		return nil, ErrPoolClosed
	}
	if c, ok := p.conns[addr]; ok {
		p.mu.Unlock()
		p.wasted.Add(1)
		fresh.Close()
		return c, nil
	}
	p.conns[addr] = fresh
	p.mu.Unlock()
	return fresh, nil
}

// Call sends a request. A connection that fails is dropped from the pool, so
// the next call dials again.
func (p *Pool) Call(ctx context.Context, addr, method string, req []byte) ([]byte, error) {
	c, err := p.get(ctx, addr)
	if err != nil {
		return nil, err
	}
	resp, err := c.Call(ctx, method, req)
	if err != nil && ctx.Err() == nil {
		p.drop(addr, c)
	}
	return resp, err
}

// drop removes c, unless the address has another connection by now.
func (p *Pool) drop(addr string, c Conn) {
	p.mu.Lock()
	if p.conns[addr] != c {
		p.mu.Unlock()
		return
	}
	delete(p.conns, addr)
	p.mu.Unlock()
	c.Close()
}

// Close closes all connections; calls that are under way fail.
func (p *Pool) Close() {
	p.mu.Lock()
	conns := p.conns
	p.conns = nil
	p.closed = true
	p.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}

// Stats returns the number of dials, and of those whose result was not used.
func (p *Pool) Stats() (dials, wasted int64) {
	return p.dials.Load(), p.wasted.Load()
}
