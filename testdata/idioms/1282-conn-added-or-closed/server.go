package grpc

import (
	"errors"
	"net"
	"sync"
)

var ErrServerStopped = errors.New("grpc: the server has been stopped")

type serverTransport interface {
	HandleStreams()
	Drain()
	Close()
}

// Server is a gRPC server to serve RPC requests.
type Server struct {
	newTransport func(net.Conn) (serverTransport, error)

	mu    sync.Mutex // guards following
	lis   map[net.Listener]bool
	conns map[serverTransport]bool // nil after stop
	drain bool
	cv    *sync.Cond // signaled when connections close for GracefulStop

	quitOnce sync.Once
	quit     chan struct{}
	serveWG  sync.WaitGroup // counts active Serve goroutines for Stop/GracefulStop
}

func NewServer(newTransport func(net.Conn) (serverTransport, error)) *Server {
	s := &Server{
		newTransport: newTransport,
		lis:          make(map[net.Listener]bool),
		conns:        make(map[serverTransport]bool),
		quit:         make(chan struct{}),
	}
	s.cv = sync.NewCond(&s.mu)
	return s
}

func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		// Serve called after Stop or GracefulStop.
		s.mu.Unlock()
		lis.Close()
		return ErrServerStopped
	}
	s.serveWG.Add(1)
	s.lis[lis] = true
	s.mu.Unlock()
	defer s.serveWG.Done()

	for {
		rawConn, err := lis.Accept()
		if err != nil {
			select {
			case <-s.quit:
				return nil
			default:
			}
			return err
		}
		// Start a new goroutine to deal with rawConn so we don't stall this Accept
		// loop goroutine.
		//
		// Make sure we account for the goroutine so GracefulStop doesn't nil out
		// s.conns before this conn can be added.
		s.serveWG.Add(1)
		go func() {
			s.handleRawConn(rawConn)
			s.serveWG.Done()
		}()
	}
}

// handleRawConn forks a goroutine to handle a just-accepted connection that
// has not had any I/O performed on it yet.
func (s *Server) handleRawConn(rawConn net.Conn) {
	select {
	case <-s.quit:
		rawConn.Close()
		return
	default:
	}

	// Finish handshaking (HTTP2)
	st, err := s.newTransport(rawConn)
	if err != nil {
		rawConn.Close()
		return
	}
	if !s.addConn(st) {
		return
	}
	go func() {
		st.HandleStreams()
		s.removeConn(st)
	}()
}

func (s *Server) addConn(st serverTransport) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.conns == nil {
		st.Close()
		return false
	}
	if s.drain {
		// Transport added after we drained our existing conns: drain it
		// immediately.
		st.Drain()
	}
	s.conns[st] = true
	return true
}

func (s *Server) removeConn(st serverTransport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, st)
	s.cv.Broadcast()
}

// Stop stops the gRPC server. It immediately closes all open
// connections and listeners.
func (s *Server) Stop() { s.stop(false) }

// GracefulStop stops the gRPC server gracefully. It stops the server from
// accepting new connections and RPCs and blocks until all the pending RPCs are
// finished.
func (s *Server) GracefulStop() { s.stop(true) }

func (s *Server) stop(graceful bool) {
	s.quitOnce.Do(func() { close(s.quit) })

	s.mu.Lock()
	for lis := range s.lis {
		lis.Close()
	}
	s.lis = nil
	s.mu.Unlock()

	// Wait for serving threads to be ready to exit. Only then can we be sure no
	// new conns will be created.
	if !graceful {
		s.mu.Lock()
		conns := s.conns
		s.conns = nil
		s.mu.Unlock()
		for st := range conns {
			st.Close()
		}
	}
	s.serveWG.Wait()
	if !graceful {
		s.mu.Lock()
		s.cv.Broadcast()
		s.mu.Unlock()
		return
	}

	s.mu.Lock()
	if !s.drain {
		for st := range s.conns {
			st.Drain()
		}
		s.drain = true
	}
	for len(s.conns) != 0 {
		s.cv.Wait()
	}
	s.conns = nil
	s.mu.Unlock()
}
