// Package bug is a server whose listeners are configured by a management
// server.
package bug

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

// ErrServerStopped is returned by Serve after Stop.
var ErrServerStopped = errors.New("server: stopped")

// event is something that happens once.
type event struct {
	once sync.Once
	c    chan struct{}
}

func newEvent() *event { return &event{c: make(chan struct{})} }

func (e *event) fire() { e.once.Do(func() { close(e.c) }) }

func (e *event) done() <-chan struct{} { return e.c }

func (e *event) fired() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

// ConfigClient is a connection to the management server. After Close nothing
// becomes ready.
type ConfigClient interface {
	// Watch calls ready when the configuration of the resource is complete.
	Watch(resource string, ready func()) (cancel func())
	Close()
}

// Acceptor is the server proper.
type Acceptor interface {
	Serve(net.Listener) error
	Stop()
	GracefulStop()
}

// Server waits for the configuration before it accepts connections.
type Server struct {
	gs        Acceptor
	newClient func() (ConfigClient, error)
	quit      *event

	clientMu sync.Mutex
	client   ConfigClient // shared by all calls of Serve
}

// NewServer returns a server that makes a client when it is needed.
func NewServer(gs Acceptor, newClient func() (ConfigClient, error)) *Server {
	return &Server{gs: gs, newClient: newClient, quit: newEvent()}
}

// initClient returns the client. The first call makes it.
func (s *Server) initClient() (ConfigClient, error) {
	s.clientMu.Lock()
	defer s.clientMu.Unlock()
	if s.client != nil {
		return s.client, nil
	}
	client, err := s.newClient()
	if err != nil {
		return nil, fmt.Errorf("server: no config client: %w", err)
	}
	s.client = client
	return client, nil
}

// closeClient closes the client if there is one.
func (s *Server) closeClient() {
	s.clientMu.Lock()
	defer s.clientMu.Unlock()
	if s.client != nil {
		s.client.Close()
		s.client = nil
	}
}

// Serve accepts connections on lis until Stop or GracefulStop is called.
func (s *Server) Serve(lis net.Listener) error {
	if _, ok := lis.Addr().(*net.TCPAddr); !ok {
		return fmt.Errorf("server: expected a TCP address, got %T", lis.Addr())
	}
	if s.quit.fired() {
		lis.Close()
		return ErrServerStopped
	}

	// If this is the first call of Serve, we need a new client. If not, we
	// can use the existing one.
	client, err := s.initClient()
	if err != nil {
		lis.Close()
		return err
	}

	good := newEvent()
	cancel := client.Watch("listener/"+lis.Addr().String(), good.fire)
	defer cancel()

	// Block until the configuration is there or the server is stopped.
	select {
	case <-s.quit.done():
		// The listener has not been handed over yet.
		lis.Close()
		return nil
	case <-good.done():
	}
	return s.gs.Serve(lis)
}

// Stop closes all connections.
func (s *Server) Stop() {
	s.quit.fire()
	s.gs.Stop()
	s.closeClient()
}

// GracefulStop waits for the requests in progress.
func (s *Server) GracefulStop() {
	s.quit.fire()
	s.gs.GracefulStop()
	s.closeClient()
}
