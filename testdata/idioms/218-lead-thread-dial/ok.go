// Package ok pools connections to servers.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errShutdown = errors.New("rpc error: shutdown")
	errNoLead   = errors.New("rpc error: lead thread didn't get connection")
)

// Session is a multiplexed connection.
type Session interface {
	Call(method string) error
	Close() error
}

// Conn is a pooled connection.
type Conn struct {
	refCount    int32
	shouldClose int32
	addr        string
	session     Session
	closeOnce   sync.Once
}

func (c *Conn) markForUse() {
	atomic.AddInt32(&c.refCount, 1)
}

// Close closes the session once.
func (c *Conn) Close() error {
	var err error
	c.closeOnce.Do(func() { err = c.session.Close() })
	return err
}

// ConnPool is used to maintain a connection pool to other servers.
type ConnPool struct {
	sync.Mutex

	dial func(addr string) (Session, error)

	// pool maps an address to an open connection
	pool map[string]*Conn

	// limiter is used to throttle the number of connect attempts
	// to a given address. The first thread will attempt a connection
	// and put a channel in here, which all other threads will wait
	// on to close.
	limiter map[string]chan struct{}

	shutdown   bool
	shutdownCh chan struct{}
}

// NewPool is used to make a new connection pool.
func NewPool(dial func(string) (Session, error)) *ConnPool {
	return &ConnPool{
		dial:       dial,
		pool:       make(map[string]*Conn),
		limiter:    make(map[string]chan struct{}),
		shutdownCh: make(chan struct{}),
	}
}

// Shutdown is used to close the connection pool.
func (p *ConnPool) Shutdown() {
	p.Lock()
	defer p.Unlock()

	for addr, conn := range p.pool {
		_ = conn.Close()
		delete(p.pool, addr)
	}
	if p.shutdown {
		return
	}
	p.shutdown = true
	close(p.shutdownCh)
}

// acquire will return a pooled connection, if available. Otherwise it will
// wait for an existing connection attempt to finish, if one if in progress,
// and will return that one if it succeeds. If all else fails, it will return a
// newly-created connection and add it to the pool.
func (p *ConnPool) acquire(addr string) (*Conn, error) {
	// Check to see if there's a pooled connection available.
	p.Lock()
	if p.shutdown {
		p.Unlock()
		return nil, errShutdown
	}
	c := p.pool[addr]
	if c != nil {
		c.markForUse()
		p.Unlock()
		return c, nil
	}

	// If not (while we are still locked), set up the throttling structure
	// for this address, which will make everyone else wait until our
	// attempt is done.
	var wait chan struct{}
	var ok bool
	if wait, ok = p.limiter[addr]; !ok {
		wait = make(chan struct{})
		p.limiter[addr] = wait
	}
	isLeadThread := !ok
	p.Unlock()

	// If we are the lead thread, make the new connection and then wake
	// everybody else up to see if we got it.
	if isLeadThread {
		s, err := p.dial(addr)
		p.Lock()
		defer p.Unlock()
		delete(p.limiter, addr)
		close(wait)
		if err != nil {
			return nil, err
		}
		c := &Conn{refCount: 1, addr: addr, session: s}
		if p.shutdown {
			_ = c.Close()
			return nil, errShutdown
		}
		p.pool[addr] = c
		return c, nil
	}

	// Otherwise, wait for the lead thread to attempt the connection
	// and use what's in the pool at that point.
	select {
	case <-p.shutdownCh:
		return nil, errShutdown
	case <-wait:
	}

	// See if the lead thread was able to get us a connection.
	p.Lock()
	defer p.Unlock()
	if c := p.pool[addr]; c != nil {
		c.markForUse()
		return c, nil
	}
	return nil, errNoLead
}

// clearConn is used to clear any cached connection, potentially in response to an error
func (p *ConnPool) clearConn(conn *Conn) {
	// Ensure returned streams are closed
	atomic.StoreInt32(&conn.shouldClose, 1)

	// Clear from the cache
	p.Lock()
	if c, ok := p.pool[conn.addr]; ok && c == conn {
		delete(p.pool, conn.addr)
	}
	p.Unlock()

	// Close down immediately if idle
	if refCount := atomic.LoadInt32(&conn.refCount); refCount == 0 {
		_ = conn.Close()
	}
}

// releaseConn is invoked when we are done with a conn to reduce the ref count
func (p *ConnPool) releaseConn(conn *Conn) {
	refCount := atomic.AddInt32(&conn.refCount, -1)
	if refCount == 0 && atomic.LoadInt32(&conn.shouldClose) == 1 {
		_ = conn.Close()
	}
}

// RPC makes one call; a failed connection is not used again.
func (p *ConnPool) RPC(addr, method string) error {
	conn, err := p.acquire(addr)
	if err != nil {
		return err
	}
	defer p.releaseConn(conn)
	if err := conn.session.Call(method); err != nil {
		p.clearConn(conn)
		return err
	}
	return nil
}
