// Package a is the websocket hub of a support chat.
package a

import (
	"sync"
)

// Client is one connected browser. The write pump takes messages from Outbox
// until Done is closed.
type Client struct {
	User string

	outbox chan []byte
	done   chan struct{}

	mu     sync.Mutex
	gone   bool
	reason string
}

func newClient(user string) *Client {
	return &Client{
		User:   user,
		outbox: make(chan []byte, 32),
		done:   make(chan struct{}),
	}
}

// Outbox is where the write pump gets its messages.
func (c *Client) Outbox() <-chan []byte { return c.outbox }

// Done is closed when the client has been disconnected.
func (c *Client) Done() <-chan struct{} { return c.done }

// Gone reports whether the client has been disconnected.
func (c *Client) Gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// Reason returns why the client was disconnected.
func (c *Client) Reason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// Disconnect ends the connection; the first reason given is kept. Both the
// read pump, on errors, and the hub, when it drops a client, get here.
func (c *Client) Disconnect(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return
	}
	c.gone = true
	c.reason = reason
	close(c.done)
}

// offer queues msg and reports whether there was room for it.
func (c *Client) offer(msg []byte) bool {
	select {
	case c.outbox <- msg:
		return true
	default:
		return false
	}
}

// Hub fans messages out to its clients.
type Hub struct {
	mu      sync.Mutex
	clients map[*Client]struct{}
}

// NewHub returns a hub without clients.
func NewHub() *Hub {
	return &Hub{clients: make(map[*Client]struct{})}
}

// Join adds a client for user.
func (h *Hub) Join(user string) *Client {
	c := newClient(user)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients[c] = struct{}{}
	return c
}

// Leave removes c from the hub and disconnects it.
func (h *Hub) Leave(c *Client, reason string) {
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
	c.Disconnect(reason)
}

// Broadcast sends msg to all clients; those that do not keep up are dropped.
func (h *Hub) Broadcast(msg []byte) {
	h.mu.Lock()
	var slow []*Client
	for c := range h.clients {
		if !c.offer(msg) {
			slow = append(slow, c)
		}
	}
	h.mu.Unlock()
	for _, c := range slow {
		h.Leave(c, "too slow")
	}
}

// Size returns the number of clients.
func (h *Hub) Size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}
