// Package lineserver serves a line-based request/response protocol over TCP.
package lineserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrServerClosed is returned by Serve after Shutdown.
var ErrServerClosed = errors.New("lineserver: server closed")

// Handler answers one request line.
type Handler interface {
	HandleLine(line string) (reply string, err error)
}

// HandlerFunc adapts a function to Handler.
type HandlerFunc func(line string) (string, error)

// HandleLine calls f.
func (f HandlerFunc) HandleLine(line string) (string, error) { return f(line) }

// Stats is a summary of the server's connections.
type Stats struct {
	Open     int
	Accepted uint64
}

// Server serves any number of listeners. Once Shutdown has returned, the handler
// is not called any more, so that its resources can be released.
type Server struct {
	handler Handler
	closing atomic.Bool

	mu        sync.Mutex
	idle      sync.Cond // signalled when the last connection is gone
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	accepted  uint64
}

// NewServer returns a server that answers with h.
func NewServer(h Handler) *Server {
	s := &Server{
		handler:   h,
		listeners: make(map[net.Listener]struct{}),
		conns:     make(map[*conn]struct{}),
	}
	s.idle.L = &s.mu
	return s
}

// conn is one client connection.
type conn struct {
	srv *Server
	nc  net.Conn
}

// serve answers requests until the client hangs up or the server closes.
func (c *conn) serve() {
	defer c.srv.forget(c)
	defer c.nc.Close()
	in := bufio.NewReader(c.nc)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		reply, err := c.srv.handler.HandleLine(line[:len(line)-1])
		if err != nil {
			reply = "ERR " + err.Error()
		}
		if _, err := io.WriteString(c.nc, reply+"\n"); err != nil {
			return
		}
		if c.srv.closing.Load() {
			return
		}
	}
}

// addListener registers ln, unless the server is closing.
func (s *Server) addListener(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		return false
	}
	s.listeners[ln] = struct{}{}
	return true
}

func (s *Server) dropListener(ln net.Listener) {
	s.mu.Lock()
	delete(s.listeners, ln)
	s.mu.Unlock()
	ln.Close()
}

// track registers a new connection, unless the server is closing.
func (s *Server) track(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		return false
	}
	s.conns[c] = struct{}{}
	s.accepted++
	return true
}

// forget removes a connection whose goroutine ends.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if len(s.conns) == 0 {
		s.idle.Broadcast()
	}
}

// Serve accepts connections on ln until the server is shut down. It closes ln.
func (s *Server) Serve(ln net.Listener) error {
	if !s.addListener(ln) {
		ln.Close()
		return ErrServerClosed
	}
	defer s.dropListener(ln)
	for {
		nc, err := ln.Accept()
		if err != nil {
			if s.closing.Load() {
				return ErrServerClosed
			}
			return fmt.Errorf("lineserver: accept: %w", err)
		}
		c := &conn{srv: s, nc: nc}
		if !s.track(c) {
			nc.Close()
			return ErrServerClosed
		}
		go c.serve()
	}
}

// Shutdown closes the listeners, lets requests in progress finish, and returns
// when all connections are gone.
func (s *Server) Shutdown() {
	s.closing.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for ln := range s.listeners {
		ln.Close()
	}
	for c := range s.conns {
		// Interrupts a read between requests and leaves writes alone.
		c.nc.SetReadDeadline(time.Unix(1, 0))
	}
	for len(s.conns) > 0 {
		s.idle.Wait()
	}
}

// Stats returns the current numbers.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{Open: len(s.conns), Accepted: s.accepted}
}
