package p2p

import (
	"errors"
	"net"
	"sync"
)

var (
	errServerStopped    = errors.New("server stopped")
	errTooManyPeers     = errors.New("too many peers")
	errAlreadyConnected = errors.New("already connected")
	errSelf             = errors.New("connected to self")
)

type ID [32]byte

type conn struct {
	fd      net.Conn
	id      ID
	name    string
	inbound bool
	cont    chan error // The run loop uses cont to signal errors to SetupConn.
}

type transport interface {
	// The two handshakes.
	doEncHandshake() (ID, error)
	doProtoHandshake() (name string, err error)
	close(err error)
}

// Peer represents a connected remote node.
type Peer struct {
	rw   *conn
	disc chan error
}

type peerDrop struct {
	*Peer
	err error
}

// Server manages all peer connections.
type Server struct {
	MaxPeers int
	self     ID

	lock    sync.Mutex // protects running and stopped
	running bool
	stopped bool

	quit                    chan struct{}
	checkpointPostHandshake chan *conn
	checkpointAddPeer       chan *conn
	delpeer                 chan peerDrop
	peerOp                  chan func(map[ID]*Peer)
	loopWG                  sync.WaitGroup // run
}

// NewServer creates a server with the given identity.
func NewServer(self ID, maxPeers int) *Server {
	return &Server{
		MaxPeers:                maxPeers,
		self:                    self,
		quit:                    make(chan struct{}),
		checkpointPostHandshake: make(chan *conn),
		checkpointAddPeer:       make(chan *conn),
		delpeer:                 make(chan peerDrop),
		peerOp:                  make(chan func(map[ID]*Peer)),
	}
}

// Start starts running the server. It can not be started again once stopped.
func (srv *Server) Start() error {
	srv.lock.Lock()
	defer srv.lock.Unlock()
	if srv.running {
		return errors.New("server already running")
	}
	srv.running = true
	srv.loopWG.Add(1)
	go srv.run()
	return nil
}

// Stop terminates the server and all active peer connections.
// It blocks until all active connections have been closed.
func (srv *Server) Stop() {
	srv.lock.Lock()
	if !srv.running || srv.stopped {
		srv.lock.Unlock()
		return
	}
	srv.stopped = true
	close(srv.quit)
	srv.lock.Unlock()
	srv.loopWG.Wait()
}

// PeerCount returns the number of connected peers.
func (srv *Server) PeerCount() (count int) {
	done := make(chan struct{})
	select {
	case srv.peerOp <- func(ps map[ID]*Peer) { count = len(ps); close(done) }:
		<-done
	case <-srv.quit:
	}
	return count
}

// run is the main loop of the server.
func (srv *Server) run() {
	defer srv.loopWG.Done()

	var (
		peers        = make(map[ID]*Peer)
		inboundCount = 0
	)
	for {
		select {
		case <-srv.quit:
			for _, p := range peers {
				p.disc <- errServerStopped
			}
			// Wait for peers to shut down.
			for len(peers) > 0 {
				p := <-srv.delpeer
				delete(peers, p.rw.id)
			}
			return

		case op := <-srv.peerOp:
			// This channel is used by PeerCount.
			op(peers)

		case c := <-srv.checkpointPostHandshake:
			// A connection has passed the encryption handshake so
			// the remote identity is known (but hasn't been verified yet).
			c.cont <- srv.postHandshakeChecks(peers, inboundCount, c)

		case c := <-srv.checkpointAddPeer:
			// At this point the connection is past the protocol handshake.
			// Its capabilities are known and the remote identity is verified.
			err := srv.addPeerChecks(peers, inboundCount, c)
			if err == nil {
				// The handshakes are done and it passed all checks.
				p := &Peer{rw: c, disc: make(chan error, 1)}
				peers[c.id] = p
				if c.inbound {
					inboundCount++
				}
				go srv.runPeer(p)
			}
			c.cont <- err

		case pd := <-srv.delpeer:
			// A peer disconnected.
			delete(peers, pd.rw.id)
			if pd.rw.inbound {
				inboundCount--
			}
		}
	}
}

func (srv *Server) postHandshakeChecks(peers map[ID]*Peer, inboundCount int, c *conn) error {
	switch {
	case len(peers) >= srv.MaxPeers:
		return errTooManyPeers
	case c.inbound && inboundCount >= srv.MaxPeers/2:
		return errTooManyPeers
	case peers[c.id] != nil:
		return errAlreadyConnected
	case c.id == srv.self:
		return errSelf
	default:
		return nil
	}
}

func (srv *Server) addPeerChecks(peers map[ID]*Peer, inboundCount int, c *conn) error {
	// Drop connections with no name.
	if c.name == "" {
		return errors.New("useless peer")
	}
	// Repeat the post-handshake checks because the
	// peer set might have changed since those checks were performed.
	return srv.postHandshakeChecks(peers, inboundCount, c)
}

// SetupConn runs the handshakes and attempts to add the connection
// as a peer. It returns when the connection has been added as a peer
// or the handshakes have failed.
func (srv *Server) SetupConn(fd net.Conn, t transport, inbound bool) error {
	c := &conn{fd: fd, inbound: inbound, cont: make(chan error)}
	err := srv.setupConn(c, t)
	if err != nil {
		t.close(err)
	}
	return err
}

func (srv *Server) setupConn(c *conn, t transport) error {
	// Run the RLPx handshake.
	id, err := t.doEncHandshake()
	if err != nil {
		return err
	}
	c.id = id
	if err := srv.checkpoint(c, srv.checkpointPostHandshake); err != nil {
		return err
	}
	// Run the capability negotiation handshake.
	if c.name, err = t.doProtoHandshake(); err != nil {
		return err
	}
	return srv.checkpoint(c, srv.checkpointAddPeer)
}

// checkpoint sends the conn to run, which performs the
// post-handshake checks for the stage (posthandshake, addpeer).
func (srv *Server) checkpoint(c *conn, stage chan<- *conn) error {
	select {
	case stage <- c:
	case <-srv.quit:
		return errServerStopped
	}
	return <-c.cont
}

// runPeer runs in its own goroutine for each peer.
func (srv *Server) runPeer(p *Peer) {
	errc := make(chan error, 1)
	go func() {
		buf := make([]byte, 1024)
		for {
			if _, err := p.rw.fd.Read(buf); err != nil {
				errc <- err
				return
			}
		}
	}()
	var err error
	select {
	case err = <-p.disc:
	case err = <-errc:
	}
	p.rw.fd.Close()
	srv.delpeer <- peerDrop{p, err}
}
