// Package hub fans chat messages out to websocket clients.
package hub

import (
	"io"
	"sync"
)

const backlog = 64

type client struct {
	mu      sync.Mutex
	closed  bool
	dropped int
	out     chan []byte
	conn    io.WriteCloser
}

type Hub struct {
	mu      sync.RWMutex
	clients map[*client]struct{}
	wg      sync.WaitGroup
}

func New() *Hub {
	return &Hub{clients: make(map[*client]struct{})}
}

// shut ends the writer; the backlog is still flushed.
func (c *client) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	close(c.out)
}

// offer queues msg, or counts it as dropped for a slow reader; it tells
// whether the client is still open.
func (c *client) offer(msg []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	select {
	case c.out <- msg:
	default:
		c.dropped++
	}
	return true
}

func (c *client) writeLoop() {
	defer c.conn.Close()
	for msg := range c.out {
		if _, err := c.conn.Write(msg); err != nil {
			break
		}
	}
	c.shut()
}

// Attach serves conn until the returned function is called.
func (h *Hub) Attach(conn io.WriteCloser) (detach func()) {
	c := &client{out: make(chan []byte, backlog), conn: conn}
	h.mu.Lock()
	h.clients[c] = struct{}{}
	h.mu.Unlock()
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		c.writeLoop()
	}()
	return func() {
		h.mu.Lock()
		delete(h.clients, c)
		h.mu.Unlock()
		c.shut()
	}
}

func (h *Hub) members() []*client {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]*client, 0, len(h.clients))
	for c := range h.clients {
		out = append(out, c)
	}
	return out
}

// Broadcast hands msg to everyone and returns how many were reached.
func (h *Hub) Broadcast(msg []byte) int {
	n := 0
	for _, c := range h.members() {
		if c.offer(msg) {
			n++
		}
	}
	return n
}

// Wait blocks until all writers have ended; no Attach may follow.
func (h *Hub) Wait() { h.wg.Wait() }
