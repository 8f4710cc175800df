package a

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

var ErrServerStopped = errors.New("the server has been stopped")

type Handler func(line string) string

// transport serves the requests of one connection.
type transport struct {
	conn     net.Conn
	draining atomic.Bool
}

func (t *transport) Drain() { t.draining.Store(true) }
func (t *transport) Close() { t.conn.Close() }

func (t *transport) handleStreams(h Handler) {
	sc := bufio.NewScanner(t.conn)
	for !t.draining.Load() && sc.Scan() {
		io.WriteString(t.conn, h(sc.Text())+"\n")
	}
}

type Server struct {
	handler Handler

	mu    sync.Mutex
	lis   map[net.Listener]bool
	conns map[*transport]bool
	drain bool
	cv    *sync.Cond
}

func NewServer(h Handler) *Server {
	s := &Server{handler: h, lis: map[net.Listener]bool{}, conns: map[*transport]bool{}}
	s.cv = sync.NewCond(&s.mu)
	return s
}

func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		s.mu.Unlock()
		lis.Close()
		return ErrServerStopped
	}
	s.lis[lis] = true
	s.mu.Unlock()
	for {
		conn, err := lis.Accept()
		if err != nil {
			return err
		}
		go s.handleRawConn(conn)
	}
}

func (s *Server) handleRawConn(conn net.Conn) {
	t := &transport{conn: conn}
	defer t.Close()
	if !s.addConn(t) {
		return
	}
	t.handleStreams(s.handler)
	s.removeConn(t)
}

func (s *Server) addConn(t *transport) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil || s.drain {
		return false
	}
	s.conns[t] = true
	return true
}

func (s *Server) removeConn(t *transport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns != nil {
		delete(s.conns, t)
		s.cv.Signal()
	}
}

// Stop closes all the connections.
func (s *Server) Stop() {
	s.mu.Lock()
	listeners, conns := s.lis, s.conns
	s.lis, s.conns = nil, nil
	s.cv.Signal()
	s.mu.Unlock()
	for lis := range listeners {
		lis.Close()
	}
	for t := range conns {
		t.Close()
	}
}

// GracefulStop stops accepting connections and returns when the pending ones
// are finished.
func (s *Server) GracefulStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drain || s.conns == nil {
		return
	}
	s.drain = true
	for lis := range s.lis {
		lis.Close()
	}
	s.lis = nil
	for t := range s.conns {
		t.Drain()
	}
	for len(s.conns) != 0 {
		s.cv.Wait()
	}
	s.conns = nil
}

// App serves requests from a database.
type App struct {
	srv *Server
	db  io.Closer
}

func NewApp(h Handler, db io.Closer, signals <-chan struct{}) *App {
	a := &App{srv: NewServer(h), db: db}
	go func() {
		<-signals
		a.srv.GracefulStop()
	}()
	return a
}

func (a *App) Run(lis net.Listener) error { return a.srv.Serve(lis) }

func (a *App) Shutdown() error {
	a.srv.GracefulStop()
	return a.db.Close()
}
