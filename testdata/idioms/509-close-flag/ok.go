// Package ok closes client connections from several sides.
package ok

import (
	"net"
	"sync"
	"time"
)

type flags uint8

const (
	flagClosed flags = 1 << iota
	flagNoFlush
	flagRegistered
)

func (f *flags) set(b flags)       { *f |= b }
func (f flags) isSet(b flags) bool { return f&b != 0 }

type subscription struct {
	id      string
	subject string
}

// Account counts its clients and has their subscriptions.
type Account struct {
	mu      sync.RWMutex
	clients map[*Client]struct{}
	subs    map[*subscription]struct{}
}

// NewAccount returns an empty account.
func NewAccount() *Account {
	return &Account{clients: make(map[*Client]struct{}), subs: make(map[*subscription]struct{})}
}

func (a *Account) add(c *Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients[c] = struct{}{}
}

func (a *Account) insert(s *subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subs[s] = struct{}{}
}

func (a *Account) remove(c *Client, subs []*subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range subs {
		delete(a.subs, s)
	}
	delete(a.clients, c)
}

// NumSubs returns the number of subscriptions.
func (a *Account) NumSubs() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.subs)
}

// Server has all clients.
type Server struct {
	mu      sync.Mutex
	clients map[uint64]*Client
	nextID  uint64
	closed  uint64
}

// NewServer returns a server without clients.
func NewServer() *Server { return &Server{clients: make(map[uint64]*Client)} }

func (s *Server) drop(c *Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.clients[c.id]; ok {
		delete(s.clients, c.id)
		s.closed++
	}
}

// Client is one connection.
type Client struct {
	id  uint64
	srv *Server
	acc *Account

	mu    sync.Mutex
	nc    net.Conn
	flags flags
	ping  *time.Timer
	pout  int
	subs  map[string]*subscription
}

// Accept registers a connection and starts its pings.
func (s *Server) Accept(nc net.Conn, acc *Account) *Client {
	c := &Client{srv: s, acc: acc, nc: nc, subs: make(map[string]*subscription)}
	acc.add(c)
	s.mu.Lock()
	s.nextID++
	c.id = s.nextID
	s.clients[c.id] = c
	s.mu.Unlock()

	c.mu.Lock()
	c.flags.set(flagRegistered)
	if !c.flags.isSet(flagClosed) {
		c.ping = time.AfterFunc(time.Minute, c.onPing)
	}
	c.mu.Unlock()
	return c
}

// Subscribe adds a subscription.
func (c *Client) Subscribe(id, subject string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags.isSet(flagClosed) {
		return false
	}
	if _, ok := c.subs[id]; ok {
		return true
	}
	s := &subscription{id, subject}
	c.subs[id] = s
	c.acc.insert(s)
	return true
}

func (c *Client) onPing() {
	c.mu.Lock()
	if c.flags.isSet(flagClosed) {
		c.mu.Unlock()
		return
	}
	c.pout++
	if c.pout > 2 {
		c.mu.Unlock()
		c.Close()
		return
	}
	c.ping.Reset(time.Minute)
	c.mu.Unlock()
}

// Pong notes the answer to a ping.
func (c *Client) Pong() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pout = 0
}

// Close closes the connection; the reader, the pings and the server call it.
func (c *Client) Close() {
	c.mu.Lock()
	if c.flags.isSet(flagClosed) {
		c.mu.Unlock()
		return
	}
	c.flags.set(flagClosed)
	if c.ping != nil {
		c.ping.Stop()
		c.ping = nil
	}
	nc := c.nc
	c.nc = nil
	subs := make([]*subscription, 0, len(c.subs))
	for _, s := range c.subs {
		subs = append(subs, s)
	}
	c.subs = nil
	c.mu.Unlock()

	if nc != nil {
		nc.Close()
	}
	c.srv.drop(c)
	c.acc.remove(c, subs)
}

// CloseAll closes all clients.
func (s *Server) CloseAll() {
	s.mu.Lock()
	cs := make([]*Client, 0, len(s.clients))
	for _, c := range s.clients {
		cs = append(cs, c)
	}
	s.mu.Unlock()
	for _, c := range cs {
		c.Close()
	}
}
