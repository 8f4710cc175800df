// Package ok accepts connections until it is stopped.
package ok

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrStopped is returned by Serve after Stop.
var ErrStopped = errors.New("server: stopped")

// Server is safe for concurrent use.
type Server struct {
	handshake func(net.Conn) (net.Conn, error)
	handle    func(net.Conn)

	mu      sync.Mutex
	lis     map[net.Listener]bool
	conns   map[net.Conn]bool // nil after Stop
	workers sync.WaitGroup    // Add is called with mu held, before Stop
}

// NewServer returns a server that calls handle for every connection.
func NewServer(handshake func(net.Conn) (net.Conn, error), handle func(net.Conn)) *Server {
	return &Server{
		handshake: handshake,
		handle:    handle,
		lis:       make(map[net.Listener]bool),
		conns:     make(map[net.Conn]bool),
	}
}

func (s *Server) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns == nil
}

// Serve accepts connections on lis.
func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		s.mu.Unlock()
		lis.Close()
		return ErrStopped
	}
	s.lis[lis] = true
	s.mu.Unlock()

	for {
		conn, err := lis.Accept()
		if err != nil {
			s.mu.Lock()
			delete(s.lis, lis)
			s.mu.Unlock()
			if s.stopped() {
				return nil
			}
			return err
		}
		go s.handleRawConn(conn)
	}
}

func (s *Server) handleRawConn(raw net.Conn) {
	// The handshake takes some time, so do not start it in vain.
	if s.stopped() {
		raw.Close()
		return
	}
	raw.SetDeadline(time.Now().Add(10 * time.Second))
	conn, err := s.handshake(raw)
	if err != nil {
		raw.Close()
		return
	}
	conn.SetDeadline(time.Time{})
	if !s.addConn(conn) {
		return
	}
	defer s.workers.Done()
	s.handle(conn)
	s.removeConn(conn)
}

func (s *Server) addConn(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		conn.Close()
		return false
	}
	s.conns[conn] = true
	s.workers.Add(1)
	return true
}

func (s *Server) removeConn(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	conn.Close()
}

// Stop closes all listeners and connections and waits for the handlers.
func (s *Server) Stop() {
	s.mu.Lock()
	lis, conns := s.lis, s.conns
	s.lis, s.conns = nil, nil
	for l := range lis {
		l.Close()
	}
	for c := range conns {
		c.Close()
	}
	s.mu.Unlock()
	s.workers.Wait()
}
