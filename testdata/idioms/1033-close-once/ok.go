// Package ingest accepts line based connections.
package ingest

import (
	"bufio"
	"net"
	"sync"
)

// Server hands each received line to a sink.
type Server struct {
	ln   net.Listener
	sink func(line string)

	done chan struct{}
	once sync.Once
	wg   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
}

func New(ln net.Listener, sink func(string)) *Server {
	return &Server{
		ln:    ln,
		sink:  sink,
		done:  make(chan struct{}),
		conns: make(map[net.Conn]struct{}),
	}
}

// Serve accepts until Shutdown.
func (s *Server) Serve() error {
	for {
		c, err := s.ln.Accept()
		if err != nil {
			select {
			case <-s.done:
				return nil
			default:
				return err
			}
		}
		if !s.track(c) {
			c.Close()
			return nil
		}
		go s.read(c)
	}
}

func (s *Server) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
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
	c.Close()
	s.wg.Done()
}

func (s *Server) read(c net.Conn) {
	defer s.untrack(c)
	sc := bufio.NewScanner(c)
	for sc.Scan() {
		s.sink(sc.Text())
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
}

// Shutdown ends all connections and waits for their readers. The signal
// handler and the admin endpoint may both call it.
func (s *Server) Shutdown() {
	select {
	case <-s.done:
		// No connection is tracked any more.
		s.wg.Wait()
		return
	default:
	}
	s.once.Do(func() {
		s.closeAll()
		close(s.done)
		s.ln.Close()
	})
	s.wg.Wait()
}
