package server

import (
	"net"
	"sync"
	"time"
)

type client struct {
	cid    uint64
	srv    *Server
	nc     net.Conn
	mu     sync.Mutex
	closed bool
}

// Server is our main struct.
type Server struct {
	mu       sync.RWMutex
	shutdown bool
	listener net.Listener
	clients  map[uint64]*client
	gcid     uint64

	grMu         sync.Mutex
	grTmpClients map[uint64]*client
	grRunning    bool
	grWG         sync.WaitGroup // to wait on various go routines

	quitCh           chan struct{}
	shutdownComplete chan struct{}
}

func NewServer() *Server {
	return &Server{
		clients:          make(map[uint64]*client),
		grTmpClients:     make(map[uint64]*client),
		quitCh:           make(chan struct{}),
		shutdownComplete: make(chan struct{}),
	}
}

// Start up the server. It is called once.
func (s *Server) Start(l net.Listener) {
	s.grMu.Lock()
	s.grRunning = true
	s.grMu.Unlock()

	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()

	s.startGoRoutine(func() { s.acceptConnections(l) })
	s.startGoRoutine(s.statszLoop)
}

func (s *Server) startGoRoutine(f func()) bool {
	var started bool
	s.grMu.Lock()
	defer s.grMu.Unlock()
	if s.grRunning {
		s.grWG.Add(1)
		go func() {
			f()
		}()
		started = true
	}
	return started
}

func (s *Server) acceptConnections(l net.Listener) {
	defer s.grWG.Done()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		if !s.startGoRoutine(func() {
			s.createClient(conn)
			s.grWG.Done()
		}) {
			conn.Close()
		}
	}
}

func (s *Server) addToTempClients(cid uint64, c *client) bool {
	added := false
	s.grMu.Lock()
	if s.grRunning {
		s.grTmpClients[cid] = c
		added = true
	}
	s.grMu.Unlock()
	return added
}

func (s *Server) createClient(conn net.Conn) {
	c := &client{srv: s, nc: conn}

	s.mu.Lock()
	s.gcid++
	cid := s.gcid
	s.mu.Unlock()

	c.cid = cid
	if !s.addToTempClients(cid, c) {
		c.closeConnection()
		return
	}

	s.mu.Lock()
	// If server is not running, Shutdown() may have already gathered the
	// list of connections to close. It won't contain this one, so we need
	// to bail out now otherwise the readLoop started down there would not
	// be interrupted.
	if s.shutdown {
		s.mu.Unlock()
		c.closeConnection()
		return
	}
	s.clients[cid] = c
	s.mu.Unlock()

	s.grMu.Lock()
	delete(s.grTmpClients, cid)
	s.grMu.Unlock()

	if !s.startGoRoutine(func() { c.readLoop() }) {
		c.closeConnection()
	}
}

func (c *client) readLoop() {
	defer c.srv.grWG.Done()
	buf := make([]byte, 512)
	for {
		if _, err := c.nc.Read(buf); err != nil {
			c.closeConnection()
			c.srv.removeClient(c)
			return
		}
	}
}

func (s *Server) removeClient(c *client) {
	s.mu.Lock()
	delete(s.clients, c.cid)
	s.mu.Unlock()
}

func (c *client) closeConnection() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.nc.Close()
}

func (s *Server) statszLoop() {
	defer s.grWG.Done()
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-s.quitCh:
			return
		case <-ticker.C:
			s.NumClients()
		}
	}
}

// NumClients will report the number of registered clients.
func (s *Server) NumClients() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.clients)
}

// Shutdown will shutdown the server instance by kicking out the AcceptLoop
// and closing all associated clients.
func (s *Server) Shutdown() {
	s.mu.Lock()
	// Prevent issues with multiple calls.
	if s.shutdown {
		s.mu.Unlock()
		<-s.shutdownComplete
		return
	}
	s.shutdown = true

	conns := make(map[uint64]*client)
	for i, c := range s.clients {
		conns[i] = c
	}
	if s.listener != nil {
		s.listener.Close()
	}
	close(s.quitCh)
	s.mu.Unlock()

	s.grMu.Lock()
	s.grRunning = false
	for i, c := range s.grTmpClients {
		conns[i] = c
	}
	s.grMu.Unlock()

	// Close client and route connections
	for _, c := range conns {
		c.closeConnection()
	}

	// Block until the accept loops exit and all go routines are done.
	s.grWG.Wait()
	close(s.shutdownComplete)
}
