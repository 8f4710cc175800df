// Package relay forwards packets between connected clients.
//
// Correct: between register and unregister the lock is not held and a newer
// connection may take over the key, but unregister deletes only if the entry
// is still this very client; and a packet given to a client that was replaced
// meanwhile is lost as on any broken connection, which the protocol allows.
package relay

import (
	"errors"
	"io"
	"sync"
)

var ErrGone = errors.New("relay: no such client")

type Packet struct {
	From string
	Data []byte
}

// Conn is one connection; Recv returns an error once it is closed.
type Conn interface {
	Recv() (to string, data []byte, err error)
	Send(p Packet) error
	io.Closer
}

type client struct {
	key   string
	conn  Conn
	queue chan Packet
	done  chan struct{}
	once  sync.Once
}

func (c *client) stop() {
	c.once.Do(func() {
		close(c.done)
		c.conn.Close()
	})
}

func (c *client) writeLoop() {
	defer c.stop()
	for {
		select {
		case p := <-c.queue:
			if err := c.conn.Send(p); err != nil {
				return
			}
		case <-c.done:
			return
		}
	}
}

type Server struct {
	mu      sync.RWMutex
	clients map[string]*client
}

func New() *Server { return &Server{clients: make(map[string]*client)} }

func (s *Server) register(c *client) {
	s.mu.Lock()
	old := s.clients[c.key]
	s.clients[c.key] = c
	s.mu.Unlock()
	if old != nil {
		old.stop()
	}
}

func (s *Server) unregister(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[c.key] == c {
		delete(s.clients, c.key)
	}
}

// Serve handles a connection until it ends.
func (s *Server) Serve(key string, conn Conn) error {
	c := &client{key: key, conn: conn, queue: make(chan Packet, 64), done: make(chan struct{})}
	s.register(c)
	defer s.unregister(c)
	defer c.stop()
	go c.writeLoop()
	for {
		to, data, err := conn.Recv()
		if err != nil {
			return err
		}
		_ = s.Forward(to, Packet{From: key, Data: data}) // best effort
	}
}

func (s *Server) Forward(to string, p Packet) error {
	s.mu.RLock()
	c, ok := s.clients[to]
	s.mu.RUnlock()
	if !ok {
		return ErrGone
	}
	select {
	case c.queue <- p:
		return nil
	case <-c.done:
		return ErrGone
	default:
		return nil // queue full: dropped
	}
}

func (s *Server) Online() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.clients)
}
