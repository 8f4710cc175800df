package tunnel

import (
	"errors"
	"sync"
	"time"
)

var ErrNoPort = errors.New("tunnel: all ports in use")

// Tunnel leads from a public port to a client.
type Tunnel struct {
	Port   int
	Client string
	once   sync.Once
}

// Server lends its ports to clients for a limited time.
type Server struct {
	ttl  time.Duration
	free chan int

	mu     sync.RWMutex
	byPort map[int]*Tunnel
}

func NewServer(first, n int, ttl time.Duration) *Server {
	s := &Server{ttl: ttl, free: make(chan int, n), byPort: make(map[int]*Tunnel)}
	for p := first; p < first+n; p++ {
		s.free <- p
	}
	return s
}

// Open lends a port to client.
func (s *Server) Open(client string) (*Tunnel, error) {
	var t *Tunnel
	select {
	case p := <-s.free:
		t = &Tunnel{Port: p, Client: client}
	default:
		return nil, ErrNoPort
	}
	s.mu.Lock()
	s.byPort[t.Port] = t
	s.mu.Unlock()
	time.AfterFunc(s.ttl, func() { s.Close(t) })
	return t, nil
}

// Close ends a tunnel before its time.
func (s *Server) Close(t *Tunnel) {
	t.once.Do(func() { s.release(t.Port) })
}

func (s *Server) release(port int) {
	s.free <- port
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byPort, port)
}

// Route tells for whom a connection to port is.
func (s *Server) Route(port int) (client string, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.byPort[port]
	if !ok {
		return "", false
	}
	return t.Client, true
}
