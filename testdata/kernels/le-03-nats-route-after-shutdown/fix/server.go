package server

import (
	"net"
	"net/url"
	"sync"
	"time"
)

// Options block for gnatsd server.
type Options struct {
	ClusterAddr   string
	Routes        []*url.URL
	WriteDeadline time.Duration
}

// Server is our main struct.
type Server struct {
	grid          uint64
	mu            sync.Mutex
	id            string
	opts          *Options
	running       bool
	shutdown      bool
	routes        map[uint64]*client
	remotes       map[string]*client
	done          chan bool
	routeListener net.Listener
	rcQuit        chan bool
	grMu          sync.Mutex
	grTmpClients  map[uint64]*client
	grRunning     bool
	grWG          sync.WaitGroup // to wait on various go routines
}

// New will setup a new server struct after parsing the options.
func New(opts *Options, id string) *Server {
	return &Server{
		id:           id,
		opts:         opts,
		routes:       make(map[uint64]*client),
		remotes:      make(map[string]*client),
		grTmpClients: make(map[uint64]*client),
		done:         make(chan bool, 10),
		rcQuit:       make(chan bool),
	}
}

// Start up the server, this will not block.
func (s *Server) Start() {
	// Avoid RACE between Start() and Shutdown()
	s.mu.Lock()
	if s.shutdown {
		s.mu.Unlock()
		return
	}
	s.running = true
	s.grMu.Lock()
	s.grRunning = true
	s.grMu.Unlock()
	s.mu.Unlock()

	s.StartRouting()
}

// Protected check on running state
func (s *Server) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
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
	s.running = false
	s.grMu.Lock()
	s.grRunning = false
	s.grMu.Unlock()

	conns := make(map[uint64]*client)

	// Copy off the connections that are not yet registered
	// in s.routes, but for which the readLoop has started
	s.grMu.Lock()
	for i, c := range s.grTmpClients {
		conns[i] = c
	}
	s.grMu.Unlock()
	// Copy off the routes
	for i, r := range s.routes {
		conns[i] = r
	}

	// Number of done channel responses we expect.
	doneExpected := 0
	// Kick route AcceptLoop()
	if s.routeListener != nil {
		doneExpected++
		s.routeListener.Close()
		s.routeListener = nil
	}

	// Release the solicited routes connect go routines.
	close(s.rcQuit)

	s.mu.Unlock()

	// Close client and route connections
	for _, c := range conns {
		c.setRouteNoReconnectOnClose()
		c.closeConnection()
	}

	// Block until the accept loops exit
	for doneExpected > 0 {
		<-s.done
		doneExpected--
	}

	// Wait for go routines to be done.
	s.grWG.Wait()
}

func (s *Server) startGoRoutine(f func()) {
	s.grMu.Lock()
	if s.grRunning {
		s.grWG.Add(1)
		go f()
	}
	s.grMu.Unlock()
}

// Remove a client or route from our internal accounting.
func (s *Server) removeClient(c *client) {
	c.mu.Lock()
	cid := c.cid
	rID := c.route.remoteID
	c.mu.Unlock()

	s.grMu.Lock()
	delete(s.grTmpClients, cid)
	s.grMu.Unlock()

	s.mu.Lock()
	delete(s.routes, cid)
	rc, ok := s.remotes[rID]
	// Only delete it if it is us..
	if ok && c == rc {
		delete(s.remotes, rID)
	}
	s.mu.Unlock()
}
