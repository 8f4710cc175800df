// Package rpcclient is a client that multiplexes all calls over one
// connection to a server and replaces the connection when it breaks.
package rpcclient

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	// ErrClosed is returned by calls on a closed client.
	ErrClosed = errors.New("rpcclient: client is closed")
	// ErrBroken is wrapped by transport errors after which a connection
	// cannot be used any more. Calls pending on a transport fail with it
	// when the transport is closed.
	ErrBroken = errors.New("rpcclient: broken connection")
)

// Transport is a connection to the server. It carries any number of calls at
// the same time.
type Transport interface {
	RoundTrip(ctx context.Context, method string, req []byte) ([]byte, error)
	Close() error
}

// DialFunc connects to the server.
type DialFunc func(ctx context.Context) (Transport, error)

// Options tune a client.
type Options struct {
	// Attempts is how often a call is sent before its error is returned.
	Attempts int
	// Heartbeat is the interval of the pings.
	Heartbeat time.Duration
}

// Client is a connection to a server that repairs itself. It is safe for
// concurrent use.
type Client struct {
	dial DialFunc
	opts Options
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	tr     Transport
	closed bool
	dials  int
}

// New returns a client; it connects with the first call.
func New(dial DialFunc, opts Options) *Client {
	if opts.Attempts < 1 {
		opts.Attempts = 2
	}
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = 30 * time.Second
	}
	c := &Client{dial: dial, opts: opts, stop: make(chan struct{}), done: make(chan struct{})}
	go c.heartbeat()
	return c
}

// transport returns the connection and makes one if there is none.
func (c *Client) transport(ctx context.Context) (Transport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if c.tr != nil {
		return c.tr, nil
	}
	tr, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	c.tr = tr
	c.dials++
	return tr, nil
}

// discard closes the connection so that the next call makes a new one.
func (c *Client) discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tr == nil {
		return
	}
	c.tr.Close()
	c.tr = nil
}

// Call sends a request and returns the reply. Requests have to be idempotent:
// a call is repeated on a new connection when the old one breaks.
func (c *Client) Call(ctx context.Context, method string, req []byte) ([]byte, error) {
	var last error
	for range c.opts.Attempts {
		tr, err := c.transport(ctx)
		if err != nil {
			return nil, err
		}
		reply, err := tr.RoundTrip(ctx, method, req)
		if err == nil {
			return reply, nil
		}
		if !errors.Is(err, ErrBroken) {
			return nil, err
		}
		last = err
		c.discard()
	}
	return nil, last
}

// Ping checks that the server answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Call(ctx, "health/ping", nil)
	return err
}

func (c *Client) heartbeat() {
	defer close(c.done)
	tick := time.NewTicker(c.opts.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
			ctx, cancel := context.WithTimeout(context.Background(), c.opts.Heartbeat)
			_ = c.Ping(ctx)
			cancel()
		}
	}
}

// Dials returns how many connections were made.
func (c *Client) Dials() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dials
}

// Close ends the client. Pending calls fail.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.closed = true
	tr := c.tr
	c.tr = nil
	c.mu.Unlock()

	close(c.stop)
	var err error
	if tr != nil {
		err = tr.Close()
	}
	<-c.done
	return err
}
