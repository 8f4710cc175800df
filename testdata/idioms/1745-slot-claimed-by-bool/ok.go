package a

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// DialFunc opens a connection to a host.
type DialFunc func(ctx context.Context, addr string) (net.Conn, error)

// hostState counts what a host is burdened with.
type hostState struct {
	dialing int
	open    int
}

// Dialer limits, per upstream host, the connections that are open or being
// opened.
type Dialer struct {
	perHost int
	dial    DialFunc

	mu    sync.Mutex
	hosts map[string]*hostState
}

// NewDialer makes a dialer for at most perHost connections to each host.
func NewDialer(perHost int, dial DialFunc) *Dialer {
	return &Dialer{perHost: perHost, dial: dial, hosts: make(map[string]*hostState)}
}

// claim is a slot that was set aside for one dial. Exactly one of its
// methods is called.
type claim struct {
	d    *Dialer
	addr string
}

// claim sets a slot of a host aside, if there is one.
func (d *Dialer) claim(addr string) (claim, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hosts[addr]
	if h == nil {
		h = &hostState{}
		d.hosts[addr] = h
	}
	if h.dialing+h.open >= d.perHost {
		return claim{}, false
	}
	h.dialing++
	return claim{d: d, addr: addr}, true
}

// succeed turns the claim into an open connection.
func (c claim) succeed(nc net.Conn) *Conn {
	c.d.change(c.addr, -1, +1)
	return &Conn{Conn: nc, d: c.d, addr: c.addr}
}

// fail gives the slot back.
func (c claim) fail() { c.d.change(c.addr, -1, 0) }

// change books a step of a connection and forgets hosts without any.
func (d *Dialer) change(addr string, dialing, open int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hosts[addr]
	h.dialing += dialing
	h.open += open
	if h.dialing+h.open == 0 {
		delete(d.hosts, addr)
	}
}

// Conn is a connection that counts against its host until it is closed.
type Conn struct {
	net.Conn
	d    *Dialer
	addr string
	once sync.Once
}

// Close closes the connection and frees its slot.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.d.change(c.addr, 0, -1) })
	return err
}

// Dial opens a connection unless the host has enough of them.
func (d *Dialer) Dial(ctx context.Context, addr string) (*Conn, error) {
	slot, ok := d.claim(addr)
	if !ok {
		return nil, fmt.Errorf("dial %s: limit of %d reached", addr, d.perHost)
	}
	nc, err := d.dial(ctx, addr)
	if err != nil {
		slot.fail()
		return nil, err
	}
	return slot.succeed(nc), nil
}

// Open says how many connections to a host are open.
func (d *Dialer) Open(addr string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h := d.hosts[addr]; h != nil {
		return h.open
	}
	return 0
}
