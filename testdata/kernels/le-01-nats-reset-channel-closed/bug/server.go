package server

import (
	"errors"
	"sync"
	"sync/atomic"
)

var ErrAccountExists = errors.New("account exists")

// Options block for the server.
type Options struct {
	Cluster string
	Tags    []string
}

// Info is the information sent to clients and routes.
type Info struct {
	ID      string
	Name    string
	Cluster string
}

// Account are subject namespace definitions.
type Account struct {
	Name string
}

type client struct {
	mu     sync.Mutex
	inMsgs int
	closed bool
	leaf   bool
}

func (c *client) processInboundClientMsg(subj string, msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inMsgs++
}

func (c *client) closeConnection() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
}

// Server is our main struct.
type Server struct {
	mu       sync.RWMutex
	info     Info
	opts     atomic.Pointer[Options]
	reloadMu sync.Mutex
	running  bool
	shutdown bool
	sys      *internal
	leafs    map[uint64]*client
	quitCh   chan struct{}
}

// NewServer will setup a new server struct after parsing the options.
func NewServer(opts *Options, info Info) *Server {
	s := &Server{
		info:    info,
		leafs:   make(map[uint64]*client),
		quitCh:  make(chan struct{}),
		running: true,
	}
	s.opts.Store(opts)
	return s
}

func (s *Server) getOpts() *Options { return s.opts.Load() }

// Assign an system account. Should only be called once.
// This sets up a server to send and receive messages from
// inside the server itself.
func (s *Server) setSystemAccount(acc *Account) error {
	s.mu.Lock()
	if s.sys != nil {
		s.mu.Unlock()
		return ErrAccountExists
	}
	s.sys = &internal{
		account: acc,
		client:  &client{},
		seq:     1,
		sendq:   make(chan *pubMsg, 64),
		resetCh: make(chan struct{}),
	}
	s.sys.wg.Add(1)
	wg, sendq := &s.sys.wg, s.sys.sendq
	s.mu.Unlock()

	// Start our internal loop to serialize outbound messages.
	// We do our own wg here since we will stop first during shutdown.
	go s.internalSendLoop(wg, sendq)
	return nil
}

// setClusterName will update the cluster name for this server.
func (s *Server) setClusterName(name string) {
	s.mu.Lock()
	var resetCh chan struct{}
	if s.sys != nil && s.info.Cluster != name {
		// can't hold the lock as go routine reading it may be waiting for lock as well
		resetCh = s.sys.resetCh
	}
	s.info.Cluster = name

	// Need to close solicited leaf nodes. The close has to be done outside of the server lock.
	var leafs []*client
	for _, c := range s.leafs {
		c.mu.Lock()
		if c.leaf {
			leafs = append(leafs, c)
		}
		c.mu.Unlock()
	}
	s.mu.Unlock()

	for _, l := range leafs {
		l.closeConnection()
	}
	if resetCh != nil {
		resetCh <- struct{}{}
	}
}

// Reload the server options. Called from the signal handler and from the
// monitoring endpoint.
func (s *Server) Reload(newOpts *Options) {
	s.reloadMu.Lock()
	defer s.reloadMu.Unlock()
	old := s.getOpts()
	s.opts.Store(newOpts)
	if old.Cluster != newOpts.Cluster {
		s.setClusterName(newOpts.Cluster)
	}
	s.resetInternalLoopInfo()
}

// Update the internal loop's copy of server info and tags after a reload.
func (s *Server) resetInternalLoopInfo() {
	var resetCh chan struct{}
	s.mu.Lock()
	if s.sys != nil {
		// can't hold the lock as go routine reading it may be waiting for lock as well
		resetCh = s.sys.resetCh
	}
	s.mu.Unlock()

	if resetCh != nil {
		resetCh <- struct{}{}
	}
}

// Shutdown will shutdown the server instance by kicking out the AcceptLoop
// and closing all associated clients.
func (s *Server) Shutdown() {
	// This is for system events, so do it before we mark ourselves as down.
	s.shutdownEventing()

	s.mu.Lock()
	// Prevent issues with multiple calls.
	if s.shutdown {
		s.mu.Unlock()
		return
	}
	s.shutdown = true
	s.running = false
	// Release go routines that wait on that channel.
	close(s.quitCh)
	s.mu.Unlock()
}
