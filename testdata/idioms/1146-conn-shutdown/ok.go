// Package connserver serves connections and ends them at shutdown.
//
// Correct: Shutdown takes the whole map out and marks the server as closing in
// one critical section. After that the map belongs to Shutdown alone, which
// closes its connections without the lock; track refuses new ones under the
// same lock, and untrack of one that was taken out finds nothing to delete
// (closing a connection twice is harmless).
package connserver

import (
	"errors"
	"net"
	"sync"
)

var ErrClosing = errors.New("connserver: closing")

type Handler func(net.Conn)

type Server struct {
	handler Handler
	wg      sync.WaitGroup

	mu        sync.Mutex
	closing   bool
	conns     map[net.Conn]struct{}
	listeners []net.Listener
}

func New(h Handler) *Server {
	return &Server{handler: h, conns: make(map[net.Conn]struct{})}
}

func (s *Server) listen(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.listeners = append(s.listeners, l)
	return true
}

func (s *Server) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *Server) untrack(c net.Conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.wg.Done()
}

func (s *Server) Serve(l net.Listener) error {
	if !s.listen(l) {
		l.Close()
		return ErrClosing
	}
	for {
		c, err := l.Accept()
		if err != nil {
			if s.Closing() {
				return ErrClosing
			}
			return err
		}
		if !s.track(c) {
			c.Close()
			return ErrClosing
		}
		go s.handle(c)
	}
}

func (s *Server) handle(c net.Conn) {
	defer s.untrack(c)
	defer c.Close()
	s.handler(c)
}

func (s *Server) Closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// Shutdown closes all connections and waits for their handlers.
func (s *Server) Shutdown() {
	s.mu.Lock()
	s.closing = true
	conns, listeners := s.conns, s.listeners
	s.conns, s.listeners = nil, nil
	s.mu.Unlock()

	for _, l := range listeners {
		l.Close()
	}
	for c := range conns {
		c.Close()
	}
	s.wg.Wait()
}

func (s *Server) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}
