// Package relay sends lines to a relay server over one connection, which is
// opened when needed and replaced when it breaks.
package relay

import (
	"context"
	"errors"
	"net"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("relay: client is closed")

// Client is safe for concurrent use.
type Client struct {
	addr  string
	greet func(ctx context.Context, conn net.Conn) error

	// dialing is a semaphore of one. The holder is the only one who may
	// set conn to a connection; anyone may reset it to nil.
	dialing chan struct{}

	mu     sync.Mutex
	conn   *link
	closed bool
}

type link struct {
	net.Conn
	wmu sync.Mutex
}

// New returns a client. greet logs in on a new connection.
func New(addr string, greet func(context.Context, net.Conn) error) *Client {
	return &Client{addr: addr, greet: greet, dialing: make(chan struct{}, 1)}
}

// Send writes a line.
func (c *Client) Send(ctx context.Context, line string) error {
	l, err := c.link(ctx)
	if err != nil {
		return err
	}
	l.wmu.Lock()
	_, err = l.Write([]byte(line + "\r\n"))
	l.wmu.Unlock()
	if err != nil {
		c.broken(l)
	}
	return err
}

// link returns the present connection, or opens one.
func (c *Client) link(ctx context.Context) (*link, error) {
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	select {
	case c.dialing <- struct{}{}:
		defer func() { <-c.dialing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	l, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.install(l); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// current returns nil and no error if there is no connection.
func (c *Client) current() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	return c.conn, nil
}

func (c *Client) open(ctx context.Context) (*link, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return nil, err
	}
	if err := c.greet(ctx, nc); err != nil {
		nc.Close()
		return nil, err
	}
	return &link{Conn: nc}, nil
}

func (c *Client) install(l *link) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.conn = l
	return nil
}

// broken retires a connection after an error on it.
func (c *Client) broken(l *link) {
	c.mu.Lock()
	if c.conn == l {
		c.conn = nil
	}
	c.mu.Unlock()
	l.Close()
}

// Close closes the connection for good.
func (c *Client) Close() error {
	c.mu.Lock()
	l := c.conn
	c.conn, c.closed = nil, true
	c.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.Close()
}
