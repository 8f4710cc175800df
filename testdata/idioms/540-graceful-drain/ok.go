// Package ok serves connections and drains them when it ends.
package ok

import (
	"errors"
	"net"
	"sync"
)

var errEnding = errors.New("server is ending")

// Session is one accepted connection.
type Session interface {
	Run()
	Drain()
	Close() error
}

// Server accepts connections.
type Server struct {
	wrap func(net.Conn) Session

	mu       sync.Mutex
	cond     *sync.Cond
	lis      map[net.Listener]bool
	sessions map[Session]bool
	drain    bool
	total    uint64
}

// NewServer returns a server.
func NewServer(wrap func(net.Conn) Session) *Server {
	s := &Server{wrap: wrap, lis: make(map[net.Listener]bool), sessions: make(map[Session]bool)}
	s.cond = sync.NewCond(&s.mu)
	return s
}

// Serve accepts until the listener is closed.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		s.mu.Unlock()
		l.Close()
		return errEnding
	}
	s.lis[l] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if s.lis != nil && s.lis[l] {
			l.Close()
			delete(s.lis, l)
		}
		s.mu.Unlock()
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.handle(c)
	}
}

func (s *Server) handle(c net.Conn) {
	x := s.wrap(c)
	if !s.add(x) {
		x.Close()
		return
	}
	x.Run()
	s.remove(x)
}

func (s *Server) add(x Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil || s.drain {
		return false
	}
	s.sessions[x] = true
	s.total++
	return true
}

func (s *Server) remove(x Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions != nil {
		delete(s.sessions, x)
		s.cond.Broadcast()
	}
}

// Stop closes everything at once.
func (s *Server) Stop() {
	s.mu.Lock()
	lis := s.lis
	s.lis = nil
	open := s.sessions
	s.sessions = nil
	s.cond.Broadcast()
	s.mu.Unlock()

	for l := range lis {
		l.Close()
	}
	for x := range open {
		x.Close()
	}
}

// GracefulStop waits for the sessions to end by themselves. Several calls, and
// a call of Stop meanwhile, are allowed.
func (s *Server) GracefulStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		return
	}
	for l := range s.lis {
		l.Close()
	}
	s.lis = nil
	if !s.drain {
		s.drain = true
		for x := range s.sessions {
			x.Drain()
		}
	}
	for len(s.sessions) != 0 {
		s.cond.Wait()
	}
	s.sessions = nil
}

// Sessions returns the number of open sessions.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}
