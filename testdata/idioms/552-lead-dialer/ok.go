// Package trunk shares one session per address.
package trunk

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	// ErrShutdown is returned by a pool that has been shut down.
	ErrShutdown = errors.New("pool is shut down")
	// ErrNoSession is returned when the attempt of another caller failed.
	ErrNoSession = errors.New("no session for this address")
)

// Session is a connection that can be used by many callers at a time. Close
// makes the calls under way fail; it may be called more than once.
type Session interface {
	Call(ctx context.Context, method string, arg, reply any) error
	Close() error
}

type conn struct {
	addr    string
	session Session
	users   int       // protected by Pool.mu
	used    time.Time // protected by Pool.mu
	dropped bool      // protected by Pool.mu
}

// Pool keeps the sessions.
type Pool struct {
	dial    func(addr string) (Session, error)
	maxIdle time.Duration
	stopped chan struct{}

	mu       sync.Mutex
	conns    map[string]*conn
	dialing  map[string]chan struct{} // closed when the attempt has ended
	shutdown bool
}

// NewPool returns a pool that closes sessions after maxIdle without a call.
func NewPool(dial func(string) (Session, error), maxIdle time.Duration) *Pool {
	p := &Pool{
		dial:    dial,
		maxIdle: maxIdle,
		stopped: make(chan struct{}),
		conns:   make(map[string]*conn),
		dialing: make(map[string]chan struct{}),
	}
	go p.reap()
	return p
}

// useLocked returns the session for addr for use by one more caller, if there
// is one.
func (p *Pool) useLocked(addr string) *conn {
	c := p.conns[addr]
	if c != nil {
		c.users++
		c.used = time.Now()
	}
	return c
}

// acquire returns the session for addr, making it if needed.
func (p *Pool) acquire(addr string) (*conn, error) {
	p.mu.Lock()
	if p.shutdown {
		p.mu.Unlock()
		return nil, ErrShutdown
	}
	if c := p.useLocked(addr); c != nil {
		p.mu.Unlock()
		return c, nil
	}
	wait, found := p.dialing[addr]
	if !found {
		wait = make(chan struct{})
		p.dialing[addr] = wait
	}
	p.mu.Unlock()

	if !found {
		s, err := p.dial(addr)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.dialing, addr)
		close(wait)
		if err != nil {
			return nil, err
		}
		if p.shutdown {
			s.Close()
			return nil, ErrShutdown
		}
		c := &conn{addr: addr, session: s, users: 1, used: time.Now()}
		p.conns[addr] = c
		return c, nil
	}

	select {
	case <-wait:
	case <-p.stopped:
		return nil, ErrShutdown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.useLocked(addr); c != nil {
		return c, nil
	}
	return nil, ErrNoSession
}

func (p *Pool) release(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.users--
	if c.dropped && c.users == 0 {
		c.session.Close()
	}
}

// drop takes a broken session out of the pool. It is closed by its last user.
func (p *Pool) drop(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.dropped = true
	if p.conns[c.addr] == c {
		delete(p.conns, c.addr)
	}
}

// Call makes a call on the session for addr.
func (p *Pool) Call(ctx context.Context, addr, method string, arg, reply any) error {
	c, err := p.acquire(addr)
	if err != nil {
		return err
	}
	defer p.release(c)
	err = c.session.Call(ctx, method, arg, reply)
	if err != nil && ctx.Err() == nil {
		p.drop(c)
	}
	return err
}

func (p *Pool) reap() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-p.stopped:
			return
		}
		p.mu.Lock()
		for addr, c := range p.conns {
			if c.users == 0 && time.Since(c.used) > p.maxIdle {
				delete(p.conns, addr)
				c.session.Close()
			}
		}
		p.mu.Unlock()
	}
}

// Shutdown closes all sessions.
func (p *Pool) Shutdown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutdown {
		return
	}
	p.shutdown = true
	close(p.stopped)
	for addr, c := range p.conns {
		delete(p.conns, addr)
		c.session.Close()
	}
}
