package server

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

type client struct {
	mu     sync.Mutex
	srv    *Server
	nc     net.Conn
	cid    uint64
	closed bool
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	nc := c.nc
	c.mu.Unlock()
	nc.Close()
	c.srv.removeClient(c)
}

func (c *client) readLoop() {
	buf := make([]byte, 512)
	for {
		if _, err := c.nc.Read(buf); err != nil {
			c.closeConnection()
			return
		}
	}
}

// Server is our main struct.
type Server struct {
	mu       sync.Mutex
	running  atomic.Bool
	shutdown bool
	listener net.Listener
	clients  map[uint64]*client
	gcid     uint64
	quitCh   chan struct{}

	grMu      sync.Mutex
	grRunning bool
	grWG      sync.WaitGroup // to wait on various go routines
}

// New will setup a new server struct.
func New(l net.Listener) *Server {
	return &Server{
		listener: l,
		clients:  make(map[uint64]*client),
		quitCh:   make(chan struct{}),
	}
}

// Start up the server, this will not block.
func (s *Server) Start() {
	s.grMu.Lock()
	s.grRunning = true
	s.grMu.Unlock()
	s.running.Store(true)

	s.startGoRoutine(s.acceptConnections)
	s.startGoRoutine(s.cleanup)
}

func (s *Server) isRunning() bool { return s.running.Load() }

// startGoRoutine starts the given function and tracks it, it reports whether
// it was started.
func (s *Server) startGoRoutine(f func()) bool {
	var started bool
	s.grMu.Lock()
	defer s.grMu.Unlock()
	if s.grRunning {
		s.grWG.Add(1)
		go func() {
			defer s.grWG.Done()
			f()
		}()
		started = true
	}
	return started
}

func (s *Server) acceptConnections() {
	for s.isRunning() {
		conn, err := s.listener.Accept()
		if err != nil {
			if s.isRunning() {
				time.Sleep(10 * time.Millisecond)
			}
			continue
		}
		s.createClient(conn)
	}
}

func (s *Server) createClient(conn net.Conn) {
	c := &client{srv: s, nc: conn}

	s.mu.Lock()
	// If server is not running, Shutdown() may have already gathered the
	// list of connections to close. It won't contain this one, so we need
	// to bail out now otherwise the readLoop started down there would not
	// be interrupted.
	if s.shutdown {
		s.mu.Unlock()
		conn.Close()
		return
	}
	s.gcid++
	c.cid = s.gcid
	s.clients[c.cid] = c
	s.mu.Unlock()

	// Spin up the read loop.
	if !s.startGoRoutine(c.readLoop) {
		c.closeConnection()
	}
}

func (s *Server) removeClient(c *client) {
	s.mu.Lock()
	delete(s.clients, c.cid)
	s.mu.Unlock()
}

func (s *Server) cleanup() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-s.quitCh:
			return
		}
	}
}

// Shutdown will shutdown the server instance by kicking out the AcceptLoop
// and closing all associated clients.
func (s *Server) Shutdown() {
	s.mu.Lock()
	// Prevent issues with multiple calls.
	if s.shutdown {
		s.mu.Unlock()
		return
	}
	s.shutdown = true
	s.running.Store(false)

	s.grMu.Lock()
	s.grRunning = false
	s.grMu.Unlock()

	// Copy off the clients
	conns := make([]*client, 0, len(s.clients))
	for _, c := range s.clients {
		conns = append(conns, c)
	}
	s.mu.Unlock()

	s.listener.Close()
	close(s.quitCh)

	// Close client connections
	for _, c := range conns {
		c.closeConnection()
	}

	// Wait for go routines to be done.
	s.grWG.Wait()
}
