// Package lazy makes things on first use.
package lazy

import (
	"sync"
	"sync/atomic"
)

type conn struct{ addr string }

func dial(addr string) (*conn, error) { return &conn{addr}, nil }

// A Client connects on first use.
type Client struct {
	mu   sync.Mutex
	addr string
	c    *conn
}

// Conn connects twice when two callers meet.
func (c *Client) Conn() (*conn, error) {
	c.mu.Lock()
	old := c.c
	c.mu.Unlock()
	if old != nil {
		return old, nil
	}
	n, err := dial(c.addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.c = n // want `check-then-act: c\.c was checked at line \d+, but c\.mu was released at line \d+ and another goroutine may change it before this write`
	return n, nil
}

// ConnAgain looks again before it keeps what it made.
func (c *Client) ConnAgain() (*conn, error) {
	c.mu.Lock()
	old := c.c
	c.mu.Unlock()
	if old != nil {
		return old, nil
	}
	n, err := dial(c.addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c != nil {
		return c.c, nil
	}
	c.c = n
	return n, nil
}

// ConnLocked holds the lock all the time.
func (c *Client) ConnLocked() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c == nil {
		n, err := dial(c.addr)
		if err != nil {
			return nil, err
		}
		c.c = n
	}
	return c.c, nil
}

// Drop makes the next caller connect anew.
func (c *Client) Drop() {
	c.mu.Lock()
	c.c = nil
	c.mu.Unlock()
}

// DropBroken drops only what the caller has found broken.
func (c *Client) DropBroken(old *conn) {
	c.mu.Lock()
	if c.c == old {
		c.c = nil
	}
	c.mu.Unlock()
}

// A Once makes its thing in a sync.Once.
type Once struct {
	once sync.Once
	mu   sync.Mutex
	c    *conn
	uses int
}

func (o *Once) Conn() *conn {
	o.once.Do(func() {
		o.c, _ = dial("once")
	})
	o.mu.Lock()
	o.uses++
	o.mu.Unlock()
	return o.c
}

// Fast has an atomic flag in front of the lock.
type Fast struct {
	ready atomic.Bool
	mu    sync.Mutex
	c     *conn
}

func (f *Fast) Conn() *conn {
	if f.ready.Load() {
		return f.c
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ready.Load() {
		f.c, _ = dial("fast")
		f.ready.Store(true)
	}
	return f.c
}

// Pointer has an atomic pointer.
type Pointer struct {
	p atomic.Pointer[conn]
}

func (p *Pointer) Conn() *conn {
	if c := p.p.Load(); c != nil {
		return c
	}
	c, _ := dial("pointer")
	p.p.Store(c) // want `check-then-act: p\.p was checked at line \d+, but the atomic operations are separate`
	return c
}

func (p *Pointer) ConnAtOnce() *conn {
	if c := p.p.Load(); c != nil {
		return c
	}
	c, _ := dial("pointer")
	if !p.p.CompareAndSwap(nil, c) {
		return p.p.Load()
	}
	return c
}

// Package variables.
var (
	poolMu sync.RWMutex
	pool   *conn
)

func Pool() *conn {
	poolMu.RLock()
	c := pool
	poolMu.RUnlock()
	if c == nil {
		c, _ = dial("pool")
		poolMu.Lock()
		pool = c // want `check-then-act: pool was checked`
		poolMu.Unlock()
	}
	return c
}

func PoolAgain() *conn {
	poolMu.RLock()
	c := pool
	poolMu.RUnlock()
	if c != nil {
		return c
	}
	poolMu.Lock()
	defer poolMu.Unlock()
	if pool == nil {
		pool, _ = dial("pool")
	}
	return pool
}

// Upgrade wants to upgrade its read lock, which Go does not have.
type Upgrade struct {
	sync.RWMutex
	m map[string]*conn
}

func (u *Upgrade) Get(addr string) *conn {
	u.RLock()
	c, ok := u.m[addr]
	if !ok {
		u.RUnlock()
		u.Lock()
		c, _ = dial(addr)
		u.m[addr] = c // want `check-then-act: u\.m\[addr\] was checked`
		u.Unlock()
		u.RLock()
	}
	u.RUnlock()
	return c
}

func (u *Upgrade) Drop(addr string) {
	u.Lock()
	delete(u.m, addr)
	u.Unlock()
}

type Upgraded struct {
	sync.RWMutex
	m map[string]*conn
}

func (u *Upgraded) Get(addr string) *conn {
	u.RLock()
	c, ok := u.m[addr]
	u.RUnlock()
	if ok {
		return c
	}
	u.Lock()
	defer u.Unlock()
	if c, ok = u.m[addr]; !ok {
		c, _ = dial(addr)
		u.m[addr] = c
	}
	return c
}

func (u *Upgraded) Drop(addr string) {
	u.Lock()
	delete(u.m, addr)
	u.Unlock()
}
