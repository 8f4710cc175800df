// Package upstream keeps one connection pool for each name server.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

var ErrNoServer = errors.New("upstream: no server for zone")

// pool holds idle connections to one server.
type pool struct {
	addr string
	idle chan net.Conn
}

func newPool(addr string, size int) *pool {
	return &pool{addr: addr, idle: make(chan net.Conn, size)}
}

func (p *pool) get(ctx context.Context) (net.Conn, error) {
	select {
	case c := <-p.idle:
		return c, nil
	default:
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", p.addr)
}

func (p *pool) put(c net.Conn) {
	select {
	case p.idle <- c:
	default:
		c.Close()
	}
}

func (p *pool) close() {
	for {
		select {
		case c := <-p.idle:
			c.Close()
		default:
			return
		}
	}
}

// Codec speaks DNS over a connection.
type Codec interface {
	Exchange(c net.Conn, name string) ([]netip.Addr, error)
}

type Client struct {
	codec   Codec
	servers map[string]string // zone -> address; not changed after New
	pools   sync.Map          // zone -> *pool
}

func New(codec Codec, servers map[string]string) *Client {
	return &Client{codec: codec, servers: servers}
}

// warm opens the first connection, so that a broken server shows at once.
func (c *Client) warm(ctx context.Context, addr string) (*pool, error) {
	p := newPool(addr, 4)
	conn, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	p.put(conn)
	return p, nil
}

func (c *Client) pool(ctx context.Context, zone string) (*pool, error) {
	if v, ok := c.pools.Load(zone); ok {
		return v.(*pool), nil
	}
	addr, ok := c.servers[zone]
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrNoServer, zone)
	}
	fresh, err := c.warm(ctx, addr)
	if err != nil {
		return nil, err
	}
	v, loaded := c.pools.LoadOrStore(zone, fresh)
	if loaded {
		fresh.close()
	}
	return v.(*pool), nil
}

// Query asks the server of the zone.
func (c *Client) Query(ctx context.Context, zone, name string) ([]netip.Addr, error) {
	p, err := c.pool(ctx, zone)
	if err != nil {
		return nil, err
	}
	conn, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(3 * time.Second))
	addrs, err := c.codec.Exchange(conn, name)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	p.put(conn)
	return addrs, nil
}
