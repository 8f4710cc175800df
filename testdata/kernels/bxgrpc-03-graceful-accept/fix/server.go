// Package fix serves calls on connections.
package fix

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrServerStopped is returned by Serve after a stop.
var ErrServerStopped = errors.New("the server has been stopped")

// Transport is a connection after its handshake.
type Transport interface {
	HandleStreams()
	Drain()
	Close() error
}

// Options configures a server.
type Options struct {
	Authenticate func(net.Conn) (net.Conn, error)
	NewTransport func(net.Conn) (Transport, error)
	Timeout      time.Duration
}

// Server is safe for concurrent use.
type Server struct {
	opts Options

	mu    sync.Mutex
	lis   map[net.Listener]bool
	conns map[Transport]bool
	drain bool
	cv    *sync.Cond

	quit     chan struct{}
	done     chan struct{}
	quitOnce sync.Once
	doneOnce sync.Once
	serveWG  sync.WaitGroup // counts Serve and handleRawConn goroutines
}

// NewServer returns a server without listeners.
func NewServer(opts Options) *Server {
	s := &Server{
		opts:  opts,
		lis:   make(map[net.Listener]bool),
		conns: make(map[Transport]bool),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	s.cv = sync.NewCond(&s.mu)
	return s
}

// Serve accepts connections on lis until the server is stopped.
func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		s.mu.Unlock()
		lis.Close()
		return ErrServerStopped
	}
	s.serveWG.Add(1)
	defer func() {
		s.serveWG.Done()
		select {
		case <-s.quit:
			<-s.done
		default:
		}
	}()
	s.lis[lis] = true
	s.mu.Unlock()
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
		s.serveWG.Add(1)
		go func() {
			s.handleRawConn(rawConn)
			s.serveWG.Done()
		}()
	}
}

// handleRawConn registers the connection before it returns. It handles a just-accepted connection that has not had any I/O
// performed on it yet.
func (s *Server) handleRawConn(rawConn net.Conn) {
	rawConn.SetDeadline(time.Now().Add(s.opts.Timeout))
	conn, err := s.opts.Authenticate(rawConn)
	if err != nil {
		rawConn.Close()
		return
	}
	s.mu.Lock()
	if s.conns == nil {
		s.mu.Unlock()
		conn.Close()
		return
	}
	s.mu.Unlock()

	st := s.newHTTP2Transport(conn)
	if st == nil {
		return
	}
	rawConn.SetDeadline(time.Time{})
	go s.serveStreams(st)
}

func (s *Server) newHTTP2Transport(c net.Conn) Transport {
	st, err := s.opts.NewTransport(c)
	if err != nil {
		c.Close()
		return nil
	}
	if !s.addConn(st) {
		st.Close()
		return nil
	}
	return st
}

func (s *Server) serveStreams(st Transport) {
	defer s.removeConn(st)
	defer st.Close()
	st.HandleStreams()
}

func (s *Server) addConn(c Transport) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	if s.drain {
		// Transport added after we drained our existing conns.
		c.Drain()
	}
	s.conns[c] = true
	return true
}

func (s *Server) removeConn(c Transport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns != nil {
		delete(s.conns, c)
		s.cv.Broadcast()
	}
}

// GracefulStop lets accepted connections finish their calls.
func (s *Server) GracefulStop() {
	s.quitOnce.Do(func() { close(s.quit) })
	defer s.doneOnce.Do(func() { close(s.done) })

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return
	}
	for lis := range s.lis {
		lis.Close()
	}
	s.lis = nil
	if !s.drain {
		for c := range s.conns {
			c.Drain()
		}
		s.drain = true
	}
	// Only when the accepting goroutines are gone no new conns can be added.
	s.mu.Unlock()
	s.serveWG.Wait()
	s.mu.Lock()
	for len(s.conns) != 0 {
		s.cv.Wait()
	}
	s.conns = nil
}
