// Package bug keeps idle network connections for reuse.
package bug

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

var ErrClosed = errors.New("transport closed")

// Transport hands out connections and keeps the returned ones for a while.
type Transport struct {
	Dial        func(addr string) (net.Conn, error)
	IdleTimeout time.Duration
	MaxIdle     int

	mu     sync.Mutex
	idle   map[string][]*Conn
	closed bool
}

// Conn is a connection owned by one caller between Get and Put.
type Conn struct {
	net.Conn
	t     *Transport
	addr  string
	timer *time.Timer // guarded by t.mu
}

// Get returns an idle connection to addr, or dials a new one.
func (t *Transport) Get(addr string) (*Conn, error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, ErrClosed
	}
	if l := t.idle[addr]; len(l) > 0 {
		c := l[len(l)-1]
		l[len(l)-1] = nil
		t.idle[addr] = l[:len(l)-1]
		c.timer.Stop()
		t.mu.Unlock()
		return c, nil
	}
	t.mu.Unlock()

	nc, err := t.Dial(addr)
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: nc, t: t, addr: addr}, nil
}

// Put gives a healthy connection back.
func (t *Transport) Put(c *Conn) {
	if !t.keep(c) {
		c.Conn.Close()
	}
}

func (t *Transport) keep(c *Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.idle[c.addr]) >= t.MaxIdle {
		return false
	}
	if t.idle == nil {
		t.idle = make(map[string][]*Conn)
	}
	t.idle[c.addr] = append(t.idle[c.addr], c)
	if c.timer == nil {
		c.timer = time.AfterFunc(t.IdleTimeout, c.expire)
	} else {
		c.timer.Reset(t.IdleTimeout)
	}
	return true
}

// Idle reports whether c is waiting for reuse.
func (t *Transport) Idle(c *Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.idle[c.addr], c)
}

// forget takes c off the idle list and reports whether it was there.
func (t *Transport) forget(c *Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.idle[c.addr]
	i := slices.Index(l, c)
	if i < 0 {
		return false
	}
	t.idle[c.addr] = slices.Delete(l, i, i+1)
	return true
}

// expire runs when the idle timer of c fires.
func (c *Conn) expire() {
	if !c.t.Idle(c) {
		return
	}
	c.t.forget(c)
	c.Conn.Close()
}

// Close closes all idle connections; those in use are closed when put back.
func (t *Transport) Close() {
	t.mu.Lock()
	idle := t.idle
	t.idle = nil
	t.closed = true
	for _, l := range idle {
		for _, c := range l {
			c.timer.Stop()
		}
	}
	t.mu.Unlock()
	for _, l := range idle {
		for _, c := range l {
			c.Conn.Close()
		}
	}
}
