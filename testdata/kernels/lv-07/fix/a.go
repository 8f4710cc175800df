// Package grpc serves remote procedure calls.
package grpc

import (
	"errors"
	"io"
	"net"
	"sync"
)

// ErrServerStopped indicates that the operation is now illegal because of
// the server being stopped.
var ErrServerStopped = errors.New("grpc: the server has been stopped")

// Handler serves one connection until it ends.
type Handler func(conn io.ReadWriter)

// Server is a server of remote procedure calls.
type Server struct {
	handler Handler

	mu    sync.Mutex
	lis   map[net.Listener]bool
	conns map[net.Conn]bool
	logf  func(format string, a ...any)
}

// NewServer creates a server which has not started to accept requests yet.
func NewServer(h Handler, logf func(string, ...any)) *Server {
	return &Server{
		handler: h,
		logf:    logf,
		lis:     make(map[net.Listener]bool),
		conns:   make(map[net.Conn]bool),
	}
}

func (s *Server) printf(format string, a ...any) {
	if s.logf != nil {
		s.logf(format, a...)
	}
}

// Serve accepts incoming connections on the listener lis. Serve returns when
// lis.Accept fails. lis will be closed when this method returns.
func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	s.printf("serving")
	if s.lis == nil {
		s.mu.Unlock()
		lis.Close()
		return ErrServerStopped
	}
	s.lis[lis] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if s.lis != nil && s.lis[lis] {
			lis.Close()
			delete(s.lis, lis)
		}
		s.mu.Unlock()
	}()
	for {
		rawConn, err := lis.Accept()
		if err != nil {
			s.mu.Lock()
			s.printf("done serving; Accept = %v", err)
			s.mu.Unlock()
			return err
		}
		// Start a new goroutine to deal with rawConn
		// so we don't stall this Accept loop goroutine.
		go s.handleRawConn(rawConn)
	}
}

func (s *Server) handleRawConn(c net.Conn) {
	if !s.addConn(c) {
		c.Close()
		return
	}
	s.handler(c)
	s.removeConn(c)
}

func (s *Server) addConn(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[c] = true
	return true
}

func (s *Server) removeConn(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns[c] {
		delete(s.conns, c)
		c.Close()
	}
}

// Stop stops the server: it closes all listeners and connections.
func (s *Server) Stop() {
	s.mu.Lock()
	listeners := s.lis
	s.lis = nil
	cs := s.conns
	s.conns = nil
	s.mu.Unlock()
	for lis := range listeners {
		lis.Close()
	}
	for c := range cs {
		c.Close()
	}
}

// NumConns returns the number of connections being served.
func (s *Server) NumConns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}
