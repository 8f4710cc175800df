// Package relay shares connections to mail relays between the senders of a
// notification service. A connection is closed when its last user is done.
package relay

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Client is a connection that multiplexes the mails of several users.
type Client interface {
	io.Closer
	Send(ctx context.Context, from, to string, body []byte) error
}

// Dialer connects to a relay.
type Dialer func(ctx context.Context, host string) (Client, error)

type conn struct {
	host   string
	client Client
	refs   atomic.Int64 // stays zero once it has become zero
}

// retain adds a user, or reports false if the last one has already gone.
func (c *conn) retain() bool {
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

// Pool is safe for concurrent use.
type Pool struct {
	dial  Dialer
	conns sync.Map // host -> *conn
	open  atomic.Int64
}

// NewPool returns an empty pool.
func NewPool(d Dialer) *Pool { return &Pool{dial: d} }

// Lease is one user's share of a connection.
type Lease struct {
	pool *Pool
	conn *conn
	once sync.Once
	err  error
}

// Send sends one mail. It must not be called after Close.
func (l *Lease) Send(ctx context.Context, from, to string, body []byte) error {
	return l.conn.client.Send(ctx, from, to, body)
}

// Close gives the share back.
func (l *Lease) Close() error {
	l.once.Do(func() { l.err = l.pool.release(l.conn) })
	return l.err
}

// Get returns a share of the connection to a relay.
func (p *Pool) Get(ctx context.Context, host string) (*Lease, error) {
	if v, ok := p.conns.Load(host); ok {
		if c := v.(*conn); c.retain() {
			return &Lease{pool: p, conn: c}, nil
		}
	}
	client, err := p.dial(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("relay: %s: %w", host, err)
	}
	fresh := &conn{host: host, client: client}
	fresh.refs.Store(1)
	for {
		v, loaded := p.conns.LoadOrStore(host, fresh)
		if !loaded {
			p.open.Add(1)
			return &Lease{pool: p, conn: fresh}, nil
		}
		c := v.(*conn)
		if c.retain() {
			client.Close()
			return &Lease{pool: p, conn: c}, nil
		}
		p.conns.CompareAndDelete(host, c)
	}
}

func (p *Pool) release(c *conn) error {
	if c.refs.Add(-1) > 0 {
		return nil
	}
	p.conns.CompareAndDelete(c.host, c)
	p.open.Add(-1)
	return c.client.Close()
}

// Open returns the number of connections in use.
func (p *Pool) Open() int64 { return p.open.Load() }

// Broadcast sends one mail to several recipients over one connection.
func (p *Pool) Broadcast(ctx context.Context, host, from string, to []string, body []byte) []error {
	errs := make([]error, len(to))
	l, err := p.Get(ctx, host)
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	defer l.Close()
	var wg sync.WaitGroup
	for i, rcpt := range to {
		wg.Go(func() { errs[i] = l.Send(ctx, from, rcpt, body) })
	}
	wg.Wait()
	return errs
}
