package raft

import "sync"

// RPCResponse captures both a response and a potential error.
type RPCResponse struct {
	Response interface{}
	Error    error
}

// RPC has a command, and provides a response mechanism.
type RPC struct {
	Command  interface{}
	RespChan chan<- RPCResponse
}

// Respond is used to respond with a response, error or both
func (r *RPC) Respond(resp interface{}, err error) {
	r.RespChan <- RPCResponse{resp, err}
}

// Transport provides an interface for network transports
// to allow Raft to communicate with other nodes.
type Transport interface {
	// Consumer returns a channel that can be used to
	// consume and respond to RPC requests.
	Consumer() <-chan RPC
}

// WithClose is an interface that a transport may provide which
// allows a transport to be shut down cleanly when a Raft instance
// shuts down.
type WithClose interface {
	// Permanently close a transport, stop all go-routines etc
	Close() error
}

// InmemTransport implements the Transport interface, to allow Raft to be
// tested in-memory without going over a network.
type InmemTransport struct {
	sync.RWMutex
	consumerCh chan RPC
	localAddr  string
	peers      map[string]*InmemTransport
	closeCh    chan struct{}
}

// NewInmemTransport is used to initialize a new transport
// with the given local address
func NewInmemTransport(addr string) *InmemTransport {
	return &InmemTransport{
		consumerCh: make(chan RPC, 16),
		localAddr:  addr,
		peers:      make(map[string]*InmemTransport),
		closeCh:    make(chan struct{}),
	}
}

// Consumer implements the Transport interface.
func (i *InmemTransport) Consumer() <-chan RPC {
	return i.consumerCh
}

// Connect is used to connect this transport to another transport for
// a given peer name. This allows for local routing.
func (i *InmemTransport) Connect(peer string, t *InmemTransport) {
	i.Lock()
	defer i.Unlock()
	i.peers[peer] = t
}

// Closed returns a channel that is closed with the transport.
func (i *InmemTransport) Closed() <-chan struct{} {
	return i.closeCh
}

// Close is used to permanently disable the transport
func (i *InmemTransport) Close() error {
	i.Lock()
	defer i.Unlock()
	i.peers = make(map[string]*InmemTransport)
	close(i.closeCh)
	return nil
}
