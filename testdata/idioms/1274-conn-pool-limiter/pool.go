package pool

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a pooled connection to a Nomad server
type Conn struct {
	refCount    int32
	shouldClose int32

	addr     string
	session  net.Conn
	lastUsed atomic.Pointer[time.Time]
	pool     *ConnPool
}

// markForUse does all the bookkeeping required to ready a connection for use,
// and ensure that active connections don't get reaped.
func (c *Conn) markForUse() {
	now := time.Now()
	c.lastUsed.Store(&now)
	atomic.AddInt32(&c.refCount, 1)
}

// releaseUse is the complement of `markForUse`, to free up the reference count
func (c *Conn) releaseUse() {
	refCount := atomic.AddInt32(&c.refCount, -1)
	if refCount == 0 && atomic.LoadInt32(&c.shouldClose) == 1 {
		c.session.Close()
	}
}

// ConnPool is used to maintain a connection pool to other
// Nomad servers. This is used to reduce the latency of
// RPC requests between servers.
type ConnPool struct {
	sync.Mutex

	// pool maps an address to a open connection
	pool map[string]*Conn

	// limiter is used to throttle the number of connect attempts
	// to a given address. The first thread will attempt a connection
	// and put a channel in here, which all other threads will wait
	// on to close.
	limiter map[string]chan struct{}

	dial func(addr string) (net.Conn, error)

	// Used to indicate the pool is shutdown
	shutdown   bool
	shutdownCh chan struct{}
}

// NewPool is used to make a new connection pool
func NewPool(dial func(string) (net.Conn, error)) *ConnPool {
	return &ConnPool{
		pool:       make(map[string]*Conn),
		limiter:    make(map[string]chan struct{}),
		dial:       dial,
		shutdownCh: make(chan struct{}),
	}
}

// Shutdown is used to close the connection pool
func (p *ConnPool) Shutdown() error {
	p.Lock()
	defer p.Unlock()

	for _, conn := range p.pool {
		conn.session.Close()
	}
	p.pool = make(map[string]*Conn)

	if p.shutdown {
		return nil
	}
	p.shutdown = true
	close(p.shutdownCh)
	return nil
}

// acquire will return a pooled connection, if available. Otherwise it will
// wait for an existing connection attempt to finish, if one if in progress,
// and will return that one if it succeeds. If all else fails, it will return a
// newly-created connection and add it to the pool.
func (p *ConnPool) acquire(addr string) (*Conn, error) {
	// Check to see if there's a pooled connection available. This is up
	// here since it should the vastly more common case than the rest
	// of the code here.
	p.Lock()
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
		c, err := p.getNewConn(addr)
		p.Lock()
		defer p.Unlock()
		delete(p.limiter, addr)
		close(wait)
		if err != nil {
			return nil, err
		}
		if p.shutdown {
			c.session.Close()
			return nil, errors.New("rpc error: shutdown")
		}

		p.pool[addr] = c
		return c, nil
	}

	// Otherwise, wait for the lead thread to attempt the connection
	// and use what's in the pool at that point.
	select {
	case <-p.shutdownCh:
		return nil, errors.New("rpc error: shutdown")
	case <-wait:
	}

	// See if the lead thread was able to get us a connection.
	p.Lock()
	if c := p.pool[addr]; c != nil {
		c.markForUse()
		p.Unlock()
		return c, nil
	}

	p.Unlock()
	return nil, errors.New("rpc error: lead thread didn't get connection")
}

// getNewConn is used to return a new connection
func (p *ConnPool) getNewConn(addr string) (*Conn, error) {
	// Try to dial the conn
	conn, err := p.dial(addr)
	if err != nil {
		return nil, err
	}
	c := &Conn{refCount: 1, addr: addr, session: conn, pool: p}
	now := time.Now()
	c.lastUsed.Store(&now)
	return c, nil
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
		conn.session.Close()
	}
}

// RPC is used to make an RPC call to a remote host
func (p *ConnPool) RPC(addr string, req []byte) error {
	conn, err := p.acquire(addr)
	if err != nil {
		return err
	}
	defer conn.releaseUse()
	if _, err := conn.session.Write(req); err != nil {
		p.clearConn(conn)
		return err
	}
	return nil
}
