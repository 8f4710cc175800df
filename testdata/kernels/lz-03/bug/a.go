package a

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"sync"
	"time"
)

type Options struct {
	TLSConfig   *tls.Config
	AllowNonTLS bool
	TLSTimeout  time.Duration
}

type Info struct {
	TLSRequired bool `json:"tls_required"`
}

type client struct {
	mu                sync.Mutex
	srv               *Server
	cid               uint64
	nc                net.Conn
	closed            bool
	handshakeComplete bool
}

// Lock should be held
func (c *client) isClosed() bool { return c.closed || c.nc == nil }

// Lock should be held
func (c *client) sendProtoNow(proto []byte) {
	if _, err := c.nc.Write(proto); err != nil {
		c.closed = true
	}
}

func (c *client) closeConnection() {
	c.mu.Lock()
	nc := c.nc
	c.closed = true
	c.nc = nil
	c.mu.Unlock()
	if nc != nil {
		nc.Close()
	}
	c.srv.removeClient(c.cid)
}

func (c *client) readLoop(nc net.Conn) {
	defer c.closeConnection()
	io.Copy(io.Discard, nc)
}

type Server struct {
	mu      sync.Mutex
	opts    Options
	info    Info
	running bool
	gcid    uint64
	clients map[uint64]*client
}

func (s *Server) removeClient(cid uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, cid)
}

func (s *Server) DisconnectClientByID(id uint64) {
	s.mu.Lock()
	c := s.clients[id]
	s.mu.Unlock()
	if c != nil {
		c.closeConnection()
	}
}

func (s *Server) createClient(conn net.Conn) *client {
	s.mu.Lock()
	opts, info := s.opts, s.info
	s.gcid++
	c := &client{srv: s, nc: conn, cid: s.gcid}
	s.mu.Unlock()

	b, _ := json.Marshal(info)
	c.mu.Lock()
	c.sendProtoNow(b)
	c.mu.Unlock()

	// Register with the server.
	s.mu.Lock()
	if !s.running {
		s.mu.Unlock()
		conn.Close()
		return nil
	}
	s.clients[c.cid] = c
	s.mu.Unlock()

	// Re-Grab lock
	c.mu.Lock()
	tlsRequired := info.TLSRequired
	// If we have both TLS and non-TLS allowed we need to see which
	// one the client wants.
	if opts.TLSConfig != nil && opts.AllowNonTLS {
		pre := make([]byte, 4)
		c.nc.SetReadDeadline(time.Now().Add(opts.TLSTimeout))
		n, _ := io.ReadFull(c.nc, pre[:])
		c.nc.SetReadDeadline(time.Time{})
		tlsRequired = n > 0 && pre[0] == 0x16
	}

	if tlsRequired {
		conn := tls.Server(c.nc, opts.TLSConfig)
		c.nc = conn

		c.mu.Unlock()
		if err := conn.Handshake(); err != nil {
			c.closeConnection()
			return nil
		}
		c.mu.Lock()
		c.handshakeComplete = true
	}

	// The connection may have been closed
	if c.isClosed() {
		c.mu.Unlock()
		c.closeConnection()
		return nil
	}

	go c.readLoop(c.nc)
	c.mu.Unlock()
	return c
}
