package transport

import (
	"io"
	"sync"
)

// Server serves RPCs.
type Server struct {
	handler func(*Stream) int

	mu    sync.Mutex
	conns map[*http2Server]struct{}
	drain bool
}

// NewServer returns a server that calls handler, which returns a status.
func NewServer(handler func(*Stream) int) *Server {
	return &Server{handler: handler, conns: make(map[*http2Server]struct{})}
}

// Serve serves a connection until it is closed.
func (s *Server) Serve(conn io.ReadWriteCloser) {
	t := newHTTP2Server(conn)
	s.mu.Lock()
	s.conns[t] = struct{}{}
	if s.drain {
		t.Drain()
	}
	s.mu.Unlock()
	t.HandleStreams(func(st *Stream) { t.WriteStatus(st, s.handler(st)) })
	s.mu.Lock()
	delete(s.conns, t)
	s.mu.Unlock()
}

// GracefulStop lets the open streams finish.
func (s *Server) GracefulStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drain = true
	for t := range s.conns {
		t.Drain()
	}
}
