// Correct: the first who misses leaves a flight in the map in the same
// critical section, so nobody else dials the same address meanwhile; closed
// is looked at again when the result is stored, and forget removes a
// connection only if it is still the one in the map.
package ok

import (
	"errors"
	"io"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("connections closed")

// Client is a connection that many may use at once.
type Client interface {
	io.Closer
	Ping() error
}

type flight struct {
	done   chan struct{}
	client Client
	err    error
}

// Clients has one client for each address.
type Clients struct {
	dial func(addr string) (Client, error)

	mu      sync.Mutex
	closed  bool
	clients map[string]Client
	flights map[string]*flight
}

func NewClients(dial func(string) (Client, error)) *Clients {
	return &Clients{dial: dial, clients: make(map[string]Client), flights: make(map[string]*flight)}
}

// Client returns the client for addr, connecting if need be.
func (c *Clients) Client(addr string) (Client, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	if cl, ok := c.clients[addr]; ok {
		c.mu.Unlock()
		return cl, nil
	}
	if f, ok := c.flights[addr]; ok {
		c.mu.Unlock()
		<-f.done
		return f.client, f.err
	}
	f := &flight{done: make(chan struct{})}
	c.flights[addr] = f
	c.mu.Unlock()

	cl, err := c.dial(addr)
	f.client, f.err = c.land(addr, cl, err)
	close(f.done)
	return f.client, f.err
}

func (c *Clients) land(addr string, cl Client, err error) (Client, error) {
	c.mu.Lock()
	delete(c.flights, addr)
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	if c.closed {
		c.mu.Unlock()
		_ = cl.Close()
		return nil, ErrClosed
	}
	c.clients[addr] = cl
	c.mu.Unlock()
	return cl, nil
}

func (c *Clients) forget(addr string, cl Client) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients[addr] != cl {
		return false
	}
	delete(c.clients, addr)
	return true
}

// Check pings all clients and closes the broken ones.
func (c *Clients) Check() {
	c.mu.Lock()
	have := make(map[string]Client, len(c.clients))
	for a, cl := range c.clients {
		have[a] = cl
	}
	c.mu.Unlock()
	for a, cl := range have {
		if cl.Ping() != nil && c.forget(a, cl) {
			_ = cl.Close()
		}
	}
}

// Close closes all clients.
func (c *Clients) Close() {
	c.mu.Lock()
	c.closed = true
	have := c.clients
	c.clients = make(map[string]Client)
	c.mu.Unlock()
	for _, cl := range have {
		_ = cl.Close()
	}
}
