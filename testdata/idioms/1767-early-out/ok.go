// Package a keeps the client connections of a broker.
package a

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var (
	ErrShutdown  = errors.New("broker is shutting down")
	ErrDuplicate = errors.New("client is connected already")
)

// Handshaker authenticates a connection and returns the ID of the client.
// That takes a round trip or two.
type Handshaker interface {
	Handshake(io.ReadWriter) (clientID string, err error)
}

// client is an authenticated connection.
type client struct {
	id   string
	conn io.ReadWriteCloser
}

// Broker knows the clients that are connected.
type Broker struct {
	hs       Handshaker
	draining atomic.Bool // a copy of closed that costs no lock
	refused  atomic.Int64

	mu      sync.Mutex
	closed  bool
	clients map[string]*client
	wg      sync.WaitGroup
}

// NewBroker returns a broker without clients.
func NewBroker(hs Handshaker) *Broker {
	return &Broker{hs: hs, clients: make(map[string]*client)}
}

// Serve runs a connection until it ends. It closes conn in any case.
func (b *Broker) Serve(conn io.ReadWriteCloser, handle func(id string, r io.Reader) error) error {
	defer conn.Close()
	if b.draining.Load() {
		// Spare the client a handshake that leads nowhere.
		b.refused.Add(1)
		return ErrShutdown
	}
	id, err := b.hs.Handshake(conn)
	if err != nil {
		return err
	}
	c := &client{id: id, conn: conn}
	if err := b.register(c); err != nil {
		b.refused.Add(1)
		return err
	}
	defer b.unregister(c)
	return handle(id, conn)
}

// register admits a client, unless the broker is closed.
func (b *Broker) register(c *client) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrShutdown
	}
	if _, ok := b.clients[c.id]; ok {
		return ErrDuplicate
	}
	b.clients[c.id] = c
	b.wg.Add(1)
	return nil
}

// unregister is called once for each client that was admitted.
func (b *Broker) unregister(c *client) {
	b.mu.Lock()
	if b.clients[c.id] == c {
		delete(b.clients, c.id)
	}
	b.mu.Unlock()
	b.wg.Done()
}

// Kick closes the connection of a client, which makes its Serve return.
func (b *Broker) Kick(id string) bool {
	b.mu.Lock()
	c, ok := b.clients[id]
	b.mu.Unlock()
	if ok {
		c.conn.Close()
	}
	return ok
}

// Connected returns the number of clients.
func (b *Broker) Connected() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.clients)
}

// Refused returns how many connections were turned away.
func (b *Broker) Refused() int64 { return b.refused.Load() }

// Close turns away further clients, closes the connections and waits until
// none is served.
func (b *Broker) Close() {
	b.draining.Store(true)
	b.mu.Lock()
	b.closed = true
	list := make([]*client, 0, len(b.clients))
	for _, c := range b.clients {
		list = append(list, c)
	}
	b.mu.Unlock()

	for _, c := range list {
		c.conn.Close()
	}
	b.wg.Wait()
}
