package caddy

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Server serves the connections of its addresses.
type Server struct {
	Addrs  []string
	Handle func(net.Conn)

	mu  sync.Mutex
	lns []net.Listener
}

// Start starts to serve.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, addr := range s.Addrs {
		ln, err := Listen("tcp", addr)
		if err != nil {
			return err
		}
		s.lns = append(s.lns, ln)
		go s.serve(ln)
	}
	return nil
}

func (s *Server) serve(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if errors.Is(err, errFakeClosed) || errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		go s.Handle(conn)
	}
}

// Stop closes the listeners. Connections that were accepted are still served.
func (s *Server) Stop() {
	s.mu.Lock()
	lns := s.lns
	s.lns = nil
	s.mu.Unlock()
	for _, ln := range lns {
		ln.Close()
	}
}

var (
	runningMu sync.Mutex
	running   []*Server
)

// Load starts the servers of a new config and then stops the old ones.
func Load(servers []*Server) error {
	runningMu.Lock()
	defer runningMu.Unlock()
	for _, srv := range servers {
		if err := srv.Start(); err != nil {
			for _, srv := range servers {
				srv.Stop()
			}
			return err
		}
	}
	var wg sync.WaitGroup
	for _, old := range running {
		wg.Add(1)
		go func() {
			defer wg.Done()
			old.Stop()
		}()
	}
	wg.Wait()
	running = servers
	return nil
}
