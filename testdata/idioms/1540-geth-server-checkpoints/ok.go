package a

import (
	"errors"
	"net"
	"sync"
)

var (
	errServerStopped     = errors.New("server stopped")
	DiscTooManyPeers     = errors.New("too many peers")
	DiscAlreadyConnected = errors.New("already connected")
	DiscUselessPeer      = errors.New("useless peer")
)

type ID [32]byte

// conn wraps a network connection with information gathered during the two
// handshakes.
type conn struct {
	fd   net.Conn
	id   ID
	caps []string
	cont chan error // The run loop uses cont to signal errors to SetupConn.
}

// Server manages all peer connections.
type Server struct {
	MaxPeers       int
	EncHandshake   func(net.Conn) (ID, error)
	ProtoHandshake func(net.Conn) ([]string, error)
	RunPeer        func(net.Conn)

	quit                    chan struct{}
	stopOnce                sync.Once
	loopWG                  sync.WaitGroup
	checkpointPostHandshake chan *conn
	checkpointAddPeer       chan *conn
	delpeer                 chan *conn
}

// Start starts running the server.
func (srv *Server) Start() {
	srv.quit = make(chan struct{})
	srv.checkpointPostHandshake = make(chan *conn)
	srv.checkpointAddPeer = make(chan *conn)
	srv.delpeer = make(chan *conn)
	srv.loopWG.Go(srv.run)
}

// Stop terminates the server and all active peer connections.
func (srv *Server) Stop() {
	srv.stopOnce.Do(func() { close(srv.quit) })
	srv.loopWG.Wait()
}

// run is the main loop of the server.
func (srv *Server) run() {
	peers := make(map[ID]*conn)
running:
	for {
		select {
		case <-srv.quit:
			// The server was stopped. Run the cleanup logic.
			break running
		case c := <-srv.checkpointPostHandshake:
			// A connection has passed the encryption handshake so
			// the remote identity is known (but hasn't been verified yet).
			c.cont <- srv.postHandshakeChecks(peers, c)
		case c := <-srv.checkpointAddPeer:
			// At this point the connection is past the protocol handshake.
			// Its capabilities are known and the remote identity is verified.
			err := srv.addPeerChecks(peers, c)
			if err == nil {
				// The handshakes are done and it passed all checks.
				peers[c.id] = c
				go func() {
					srv.RunPeer(c.fd)
					srv.delpeer <- c
				}()
			}
			c.cont <- err
		case c := <-srv.delpeer:
			// A peer disconnected.
			delete(peers, c.id)
		}
	}
	for _, c := range peers {
		c.fd.Close()
	}
	// Wait for peers to shut down.
	for len(peers) > 0 {
		c := <-srv.delpeer
		delete(peers, c.id)
	}
}

func (srv *Server) postHandshakeChecks(peers map[ID]*conn, c *conn) error {
	switch {
	case len(peers) >= srv.MaxPeers:
		return DiscTooManyPeers
	case peers[c.id] != nil:
		return DiscAlreadyConnected
	default:
		return nil
	}
}

func (srv *Server) addPeerChecks(peers map[ID]*conn, c *conn) error {
	// Drop connections with no matching protocols.
	if len(c.caps) == 0 {
		return DiscUselessPeer
	}
	// Repeat the post-handshake checks because the
	// peer set might have changed since those checks were performed.
	return srv.postHandshakeChecks(peers, c)
}

// SetupConn runs the handshakes and attempts to add the connection as a peer.
// It returns when the connection has been added as a peer or the handshakes
// have failed.
func (srv *Server) SetupConn(fd net.Conn) (err error) {
	c := &conn{fd: fd, cont: make(chan error, 1)}
	defer func() {
		if err != nil {
			fd.Close()
		}
	}()
	if c.id, err = srv.EncHandshake(fd); err != nil {
		return err
	}
	if err = srv.checkpoint(c, srv.checkpointPostHandshake); err != nil {
		return err
	}
	if c.caps, err = srv.ProtoHandshake(fd); err != nil {
		return err
	}
	return srv.checkpoint(c, srv.checkpointAddPeer)
}

// checkpoint sends the conn to run, which performs the
// post-handshake checks for the stage.
func (srv *Server) checkpoint(c *conn, stage chan<- *conn) error {
	select {
	case stage <- c:
	case <-srv.quit:
		return errServerStopped
	}
	return <-c.cont
}
