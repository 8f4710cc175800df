package grpc

import (
	"errors"
	"net"
	"sync"
)

var ErrServerStopped = errors.New("grpc: the server has been stopped")

type ServerTransport interface {
	HandleStreams()
	Drain()
	Close()
}

type Server struct {
	mu    sync.Mutex // guards following
	lis   map[net.Listener]bool
	conns map[ServerTransport]bool
	drain bool
	cv    *sync.Cond // signaled when connections close for GracefulStop

	quit     chan struct{}
	quitOnce sync.Once
	serveWG  sync.WaitGroup // counts active Serve goroutines for Stop/GracefulStop

	handshake func(net.Conn) (ServerTransport, error)
}

func NewServer(handshake func(net.Conn) (ServerTransport, error)) *Server {
	s := &Server{
		lis:       make(map[net.Listener]bool),
		conns:     make(map[ServerTransport]bool),
		quit:      make(chan struct{}),
		handshake: handshake,
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
	defer s.serveWG.Done()
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

func (s *Server) hasQuit() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// handleRawConn forks a goroutine to handle a just-accepted connection that
// has not had any I/O performed on it yet.
func (s *Server) handleRawConn(rawConn net.Conn) {
	if s.hasQuit() {
		rawConn.Close()
		return
	}
	st, err := s.handshake(rawConn)
	if err != nil {
		rawConn.Close()
		return
	}
	if !s.addConn(st) {
		return
	}
	go func() {
		st.HandleStreams()
		st.Close()
		s.removeConn(st)
	}()
}

func (s *Server) addConn(st ServerTransport) bool {
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

func (s *Server) removeConn(st ServerTransport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns != nil {
		delete(s.conns, st)
		s.cv.Broadcast()
	}
}

// GracefulStop stops the gRPC server gracefully.
func (s *Server) GracefulStop() {
	s.quitOnce.Do(func() { close(s.quit) })
	s.mu.Lock()
	for lis := range s.lis {
		lis.Close()
	}
	s.lis = nil
	if !s.drain {
		for st := range s.conns {
			st.Drain()
		}
		s.drain = true
	}
	s.mu.Unlock()

	// Wait for serving threads to be ready to exit.  Only then can we be sure no
	// new conns will be created.
	s.serveWG.Wait()

	s.mu.Lock()
	for len(s.conns) != 0 {
		s.cv.Wait()
	}
	s.conns = nil
	s.mu.Unlock()
}
