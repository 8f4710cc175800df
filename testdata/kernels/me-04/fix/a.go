package a

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrStopped is returned once Stop was called.
var ErrStopped = errors.New("server: stopped")

// Handshaker sets up the session on a raw connection.
type Handshaker interface {
	Handshake(raw net.Conn) (net.Conn, error)
}

// Server tracks the sessions of its clients.
type Server struct {
	creds Handshaker
	serve func(net.Conn)

	mu      sync.Mutex
	conns   map[net.Conn]time.Time
	stopped bool
	failed  int
}

// NewServer returns a server that runs serve on every session.
func NewServer(creds Handshaker, serve func(net.Conn)) *Server {
	return &Server{
		creds: creds,
		serve: serve,
		conns: make(map[net.Conn]time.Time),
	}
}

// Handle takes over a connection that a listener has accepted and returns when
// the session is over.
func (s *Server) Handle(raw net.Conn) error {
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		raw.Close()
		return ErrStopped
	}
	s.mu.Unlock()

	raw.SetDeadline(time.Now().Add(10 * time.Second))
	conn, err := s.creds.Handshake(raw)
	if err != nil {
		s.fail(raw)
		return err
	}
	raw.SetDeadline(time.Time{})

	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		conn.Close()
		return ErrStopped
	}
	s.conns[conn] = time.Now()
	s.mu.Unlock()

	s.serve(conn)
	s.drop(conn)
	return nil
}

// Stop closes all sessions and refuses new ones.
func (s *Server) Stop() {
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return
	}
	s.stopped = true
	conns := s.conns
	s.conns = make(map[net.Conn]time.Time)
	s.mu.Unlock()

	for c := range conns {
		c.Close()
	}
}

// Sessions reports how many sessions are open, how many handshakes failed.
func (s *Server) Sessions() (open, failed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns), s.failed
}

func (s *Server) fail(raw net.Conn) {
	raw.Close()
	s.mu.Lock()
	s.failed++
	s.mu.Unlock()
}

func (s *Server) drop(c net.Conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	c.Close()
}
