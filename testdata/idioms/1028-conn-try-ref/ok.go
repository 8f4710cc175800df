// Package subconn shares connections to backends among the channels that use
// the same address.
package subconn

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Conn is a connection with a count of its users. A count of zero is final.
type Conn struct {
	addr string
	raw  net.Conn
	refs atomic.Int64
}

// Addr returns the address that was dialled.
func (c *Conn) Addr() string { return c.addr }

// Write writes one frame.
func (c *Conn) Write(frame []byte) (int, error) { return c.raw.Write(frame) }

func (c *Conn) tryRef() bool {
	for {
		n := c.refs.Load()
		if n == 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Pool holds the connections in use. It has no reference of its own.
type Pool struct {
	dialer net.Dialer

	mu    sync.RWMutex
	conns map[string]*Conn
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{conns: make(map[string]*Conn)}
}

func (p *Pool) lookup(addr string) *Conn {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.conns[addr]
}

// Get returns a connection to addr. The caller must Release it.
func (p *Pool) Get(ctx context.Context, addr string) (*Conn, error) {
	if c := p.lookup(addr); c != nil && c.tryRef() {
		return c, nil
	}
	raw, err := p.dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &Conn{addr: addr, raw: raw}
	c.refs.Store(1)
	if shared := p.share(c); shared != c {
		raw.Close()
		return shared, nil
	}
	return c, nil
}

// share enters c in the pool, unless there is a usable connection to the same
// address, which is referenced and returned instead.
func (p *Pool) share(c *Conn) *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cur := p.conns[c.addr]; cur != nil && cur.tryRef() {
		return cur
	}
	p.conns[c.addr] = c
	return c
}

// Release gives a connection back. The last user closes it.
func (p *Pool) Release(c *Conn) error {
	if c.refs.Add(-1) > 0 {
		return nil
	}
	p.mu.Lock()
	if p.conns[c.addr] == c {
		delete(p.conns, c.addr)
	}
	p.mu.Unlock()
	return c.raw.Close()
}

// Warm connects to the addresses and holds the connections until the context
// ends.
func (p *Pool) Warm(ctx context.Context, addrs []string) {
	for _, a := range addrs {
		go func() {
			c, err := p.Get(ctx, a)
			if err != nil {
				return
			}
			<-ctx.Done()
			p.Release(c)
		}()
	}
}
