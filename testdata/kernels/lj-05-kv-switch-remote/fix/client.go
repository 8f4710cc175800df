package clientv3

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrNoAvailableEndpoints = errors.New("etcdclient: no available endpoints")
	errConnClosing          = errors.New("grpc: the client connection is closing")
)

// Conn is a connection to one endpoint.
type Conn struct {
	endpoint string
	closed   atomic.Bool
	call     func(ctx context.Context, method, key, val string) (string, error)
}

func (c *Conn) Close() { c.closed.Store(true) }

func (c *Conn) invoke(ctx context.Context, method, key, val string) (string, error) {
	if c.closed.Load() {
		return "", errConnClosing
	}
	return c.call(ctx, method, key, val)
}

type Config struct {
	// Endpoints is a list of URLs
	Endpoints []string

	// RetryDialer chooses the next endpoint to use
	RetryDialer func(*Client) (*Conn, error)
}

// Client provides and manages an etcd v3 client session.
type Client struct {
	KV

	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.RWMutex // protects connection selection and error list
	conn   *Conn
	closed bool
	errors []error // errors passed to retryConnection
}

// New creates a new etcdv3 client from a given configuration.
func New(cfg Config) (*Client, error) {
	if cfg.RetryDialer == nil {
		cfg.RetryDialer = dialEndpointList
	}
	if len(cfg.Endpoints) == 0 {
		return nil, ErrNoAvailableEndpoints
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{cfg: cfg, ctx: ctx, cancel: cancel}
	conn, err := cfg.RetryDialer(c)
	if err != nil {
		cancel()
		return nil, err
	}
	c.conn = conn
	c.KV = NewKV(c)
	return c, nil
}

// Close shuts down the client's etcd connections.
func (c *Client) Close() error {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.conn.Close()
	return nil
}

// Endpoints lists the registered endpoints for the client.
func (c *Client) Endpoints() []string { return c.cfg.Endpoints }

// Errors returns all errors that have been observed since called last.
func (c *Client) Errors() (errs []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs = c.errors
	c.errors = nil
	return errs
}

// ActiveConnection returns the current in-use connection
func (c *Client) ActiveConnection() *Conn {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.conn
}

// retryConnection establishes a new connection
func (c *Client) retryConnection(oldConn *Conn, err error) (*Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.errors = append(c.errors, err)
	}
	if c.closed {
		return nil, c.ctx.Err()
	}
	if oldConn != c.conn {
		// conn has already been updated
		return c.conn, nil
	}

	oldConn.Close()

	conn, dialErr := c.cfg.RetryDialer(c)
	if dialErr != nil {
		c.errors = append(c.errors, dialErr)
		return nil, dialErr
	}
	c.conn = conn
	return c.conn, nil
}

// dialEndpointList attempts to connect to each endpoint in order until a
// connection is established.
func dialEndpointList(c *Client) (*Conn, error) {
	for _, ep := range c.Endpoints() {
		if c.ctx.Err() != nil {
			return nil, c.ctx.Err()
		}
		return &Conn{endpoint: ep, call: func(context.Context, string, string, string) (string, error) { return "", nil }}, nil
	}
	return nil, ErrNoAvailableEndpoints
}

// isHalted returns true if the given error and context indicate no forward
// progress can be made, even after reconnecting.
func isHalted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
