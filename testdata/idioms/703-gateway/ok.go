// Package gateway keeps websocket clients by user.
package gateway

import (
	"errors"
	"log"
	"sync"
)

// Errors of the gateway.
var (
	ErrStopping = errors.New("gateway: stopping")
	ErrGone     = errors.New("gateway: client gone")
	ErrBehind   = errors.New("gateway: client too slow")
)

// Client is one socket.
type Client struct {
	User  string
	queue chan []byte

	mu   sync.Mutex
	gone bool
}

// NewClient returns a client of a user.
func NewClient(user string) *Client {
	return &Client{User: user, queue: make(chan []byte, 32)}
}

func (c *Client) send(msg []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return ErrGone
	}
	select {
	case c.queue <- msg:
		return nil
	default:
		return ErrBehind
	}
}

func (c *Client) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		close(c.queue)
	}
}

// Gateway has at most one client for each user.
type Gateway struct {
	mu       sync.RWMutex
	clients  map[string]*Client
	stopping bool

	writers sync.WaitGroup
}

// New returns an empty gateway.
func New() *Gateway {
	return &Gateway{clients: make(map[string]*Client)}
}

func (g *Gateway) isStopping() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.stopping
}

// Accept checks a token and attaches a client; auth may take a while.
func (g *Gateway) Accept(token string, auth func(token string) (string, error), write func([]byte) error) (*Client, error) {
	if g.isStopping() {
		return nil, ErrStopping
	}
	user, err := auth(token)
	if err != nil {
		return nil, err
	}
	c := NewClient(user)
	old, err := g.attach(c, write)
	if err != nil {
		return nil, err
	}
	if old != nil {
		old.hangUp()
	}
	return c, nil
}

func (g *Gateway) attach(c *Client, write func([]byte) error) (old *Client, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return nil, ErrStopping
	}
	old = g.clients[c.User]
	g.clients[c.User] = c
	g.writers.Add(1)
	go g.pump(c, write)
	return old, nil
}

func (g *Gateway) pump(c *Client, write func([]byte) error) {
	defer g.writers.Done()
	defer g.detach(c)
	for msg := range c.queue {
		if err := write(msg); err != nil {
			log.Printf("gateway: %s: %v", c.User, err)
			c.hangUp()
			return
		}
	}
}

// detach forgets c unless its user has come back with another client.
func (g *Gateway) detach(c *Client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clients[c.User] == c {
		delete(g.clients, c.User)
	}
}

func (g *Gateway) lookup(user string) *Client {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.clients[user]
}

// Tell sends to one user.
func (g *Gateway) Tell(user string, msg []byte) error {
	c := g.lookup(user)
	if c == nil {
		return ErrGone
	}
	err := c.send(msg)
	if errors.Is(err, ErrBehind) {
		c.hangUp()
	}
	return err
}

// Broadcast sends to everybody who is there.
func (g *Gateway) Broadcast(msg []byte) (sent int) {
	g.mu.RLock()
	all := make([]*Client, 0, len(g.clients))
	for _, c := range g.clients {
		all = append(all, c)
	}
	g.mu.RUnlock()
	for _, c := range all {
		if c.send(msg) == nil {
			sent++
		}
	}
	return sent
}

// Stop hangs up on everybody and waits for the writers.
func (g *Gateway) Stop() {
	g.mu.Lock()
	g.stopping = true
	all := g.clients
	g.clients = make(map[string]*Client)
	g.mu.Unlock()
	for _, c := range all {
		c.hangUp()
	}
	g.writers.Wait()
}
