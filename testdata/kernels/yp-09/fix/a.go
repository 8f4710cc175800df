package a

import (
	"log"
	"sync"
	"time"
)

// Conn is the part of a websocket connection that the hub needs.
type Conn interface {
	ReadMessage() ([]byte, error)
	WriteMessage(p []byte) error
	SetWriteDeadline(t time.Time) error
	Close() error
}

type client struct {
	conn Conn

	mu     sync.Mutex
	closed bool
	send   chan []byte
}

func (c *client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// push queues p and tells whether there was room for it.
func (c *client) push(p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	select {
	case c.send <- p:
		return true
	default:
		return false
	}
}

func (c *client) shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	close(c.send)
}

func (c *client) writeLoop() {
	defer c.conn.Close()
	for p := range c.send {
		if err := c.conn.SetWriteDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return
		}
		if err := c.conn.WriteMessage(p); err != nil {
			return
		}
	}
}

// Hub fans messages out to all connected clients.
type Hub struct {
	mu      sync.RWMutex
	clients map[*client]struct{}
}

func NewHub() *Hub {
	return &Hub{clients: make(map[*client]struct{})}
}

func (h *Hub) register(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients[c] = struct{}{}
}

func (h *Hub) unregister(c *client) {
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
	c.shutdown()
}

func (h *Hub) snapshot() []*client {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]*client, 0, len(h.clients))
	for c := range h.clients {
		out = append(out, c)
	}
	return out
}

// Broadcast queues p for every client and drops the ones that lag behind.
func (h *Hub) Broadcast(p []byte) {
	for _, c := range h.snapshot() {
		if c.isClosed() {
			continue
		}
		if !c.push(p) {
			log.Print("hub: dropping a slow client")
			h.unregister(c)
		}
	}
}

// Handle serves one connection until it fails.
func (h *Hub) Handle(conn Conn) {
	c := &client{conn: conn, send: make(chan []byte, 64)}
	h.register(c)
	defer h.unregister(c)
	go c.writeLoop()
	for {
		p, err := conn.ReadMessage()
		if err != nil {
			return
		}
		h.Broadcast(p)
	}
}

// Serve handles the upgraded connections.
func (h *Hub) Serve(conns <-chan Conn) {
	for conn := range conns {
		go h.Handle(conn)
	}
}

// Heartbeat sends a ping text to everybody until stop is closed.
func (h *Hub) Heartbeat(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			h.Broadcast([]byte(`{"type":"ping"}`))
		}
	}
}
