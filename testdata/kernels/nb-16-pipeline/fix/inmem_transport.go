// Package inmem is a transport between nodes of one process.
package inmem

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrPipelineShutdown = errors.New("append pipeline closed")

// ServerAddress is a network address for a server that a transport can contact.
type ServerAddress string

type AppendEntriesRequest struct {
	Term    uint64
	Leader  ServerAddress
	Entries [][]byte
}

type AppendEntriesResponse struct {
	Term    uint64
	Success bool
}

// RPCResponse captures both a response and a potential error.
type RPCResponse struct {
	Response *AppendEntriesResponse
	Error    error
}

// RPC has a command, and provides a response mechanism.
type RPC struct {
	Command  *AppendEntriesRequest
	RespChan chan<- RPCResponse
}

// Respond is used to respond with a response, error or both
func (r *RPC) Respond(resp *AppendEntriesResponse, err error) {
	r.RespChan <- RPCResponse{resp, err}
}

// AppendPipeline is used for pipelining AppendEntries requests.
type AppendPipeline interface {
	AppendEntries(args *AppendEntriesRequest) error
	Consumer() <-chan RPCResponse
	Close() error
}

// inmemPipeline is used to pipeline requests for the in-mem transport.
type inmemPipeline struct {
	trans    *InmemTransport
	peer     *InmemTransport
	peerAddr ServerAddress

	doneCh       chan RPCResponse
	inprogressCh chan (<-chan RPCResponse)

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex
}

// InmemTransport Implements the Transport interface, to allow Raft to be
// tested in-memory without going over a network.
type InmemTransport struct {
	sync.RWMutex
	consumerCh chan RPC
	localAddr  ServerAddress
	peers      map[ServerAddress]*InmemTransport
	pipelines  []*inmemPipeline
	timeout    time.Duration
}

// NewInmemTransport is used to initialize a new transport.
func NewInmemTransport(addr ServerAddress) *InmemTransport {
	return &InmemTransport{
		consumerCh: make(chan RPC, 16),
		localAddr:  addr,
		peers:      make(map[ServerAddress]*InmemTransport),
		timeout:    50 * time.Millisecond,
	}
}

// Consumer implements the Transport interface.
func (i *InmemTransport) Consumer() <-chan RPC { return i.consumerCh }

// LocalAddr implements the Transport interface.
func (i *InmemTransport) LocalAddr() ServerAddress { return i.localAddr }

// AppendEntriesPipeline returns an interface that can be used to pipeline
// AppendEntries requests.
func (i *InmemTransport) AppendEntriesPipeline(target ServerAddress) (AppendPipeline, error) {
	i.Lock()
	defer i.Unlock()
	peer, ok := i.peers[target]
	if !ok {
		return nil, fmt.Errorf("failed to connect to peer: %v", target)
	}
	pipeline := newInmemPipeline(i, peer, target)
	i.pipelines = append(i.pipelines, pipeline)
	return pipeline, nil
}

// AppendEntries implements the Transport interface.
func (i *InmemTransport) AppendEntries(target ServerAddress, args *AppendEntriesRequest) (*AppendEntriesResponse, error) {
	i.RLock()
	peer, ok := i.peers[target]
	i.RUnlock()
	if !ok {
		return nil, fmt.Errorf("failed to connect to peer: %v", target)
	}

	respCh := make(chan RPCResponse, 1)
	timeout := time.After(i.timeout)
	select {
	case peer.consumerCh <- RPC{Command: args, RespChan: respCh}:
	case <-timeout:
		return nil, errors.New("send timed out")
	}
	select {
	case rpcResp := <-respCh:
		return rpcResp.Response, rpcResp.Error
	case <-timeout:
		return nil, errors.New("command timed out")
	}
}

// Connect is used to connect this transport to another transport for
// a given peer name. This allows for local routing.
func (i *InmemTransport) Connect(peer ServerAddress, t *InmemTransport) {
	i.Lock()
	defer i.Unlock()
	i.peers[peer] = t
}

// Disconnect is used to remove the ability to route to a given peer.
func (i *InmemTransport) Disconnect(peer ServerAddress) {
	i.Lock()
	defer i.Unlock()
	delete(i.peers, peer)

	// Disconnect any pipelines
	n := len(i.pipelines)
	for idx := 0; idx < n; idx++ {
		if i.pipelines[idx].peerAddr == peer {
			i.pipelines[idx].Close()
			i.pipelines[idx], i.pipelines[n-1] = i.pipelines[n-1], nil
			idx--
			n--
		}
	}
	i.pipelines = i.pipelines[:n]
}

// DisconnectAll is used to remove all routes to peers.
func (i *InmemTransport) DisconnectAll() {
	i.Lock()
	defer i.Unlock()
	i.peers = make(map[ServerAddress]*InmemTransport)
	for _, pipeline := range i.pipelines {
		pipeline.Close()
	}
	i.pipelines = nil
}

// Close is used to permanently disable the transport
func (i *InmemTransport) Close() error {
	i.DisconnectAll()
	return nil
}

func newInmemPipeline(trans, peer *InmemTransport, addr ServerAddress) *inmemPipeline {
	i := &inmemPipeline{
		trans:        trans,
		peer:         peer,
		peerAddr:     addr,
		doneCh:       make(chan RPCResponse, 16),
		inprogressCh: make(chan (<-chan RPCResponse), 16),
		shutdownCh:   make(chan struct{}),
	}
	go i.decodeResponses()
	return i
}

func (i *inmemPipeline) decodeResponses() {
	for {
		var rpcResp RPCResponse
		select {
		case respCh := <-i.inprogressCh:
			select {
			case rpcResp = <-respCh:
			case <-time.After(i.trans.timeout):
				rpcResp.Error = errors.New("command timed out")
			case <-i.shutdownCh:
				return
			}
		case <-i.shutdownCh:
			return
		}
		select {
		case i.doneCh <- rpcResp:
		case <-i.shutdownCh:
			return
		}
	}
}

func (i *inmemPipeline) AppendEntries(args *AppendEntriesRequest) error {
	respCh := make(chan RPCResponse, 1)
	select {
	case i.peer.consumerCh <- RPC{Command: args, RespChan: respCh}:
	case <-time.After(i.trans.timeout):
		return errors.New("command enqueue timeout")
	case <-i.shutdownCh:
		return ErrPipelineShutdown
	}
	select {
	case i.inprogressCh <- respCh:
		return nil
	case <-i.shutdownCh:
		return ErrPipelineShutdown
	}
}

func (i *inmemPipeline) Consumer() <-chan RPCResponse { return i.doneCh }

func (i *inmemPipeline) Close() error {
	i.shutdownLock.Lock()
	defer i.shutdownLock.Unlock()
	if i.shutdown {
		return nil
	}
	i.shutdown = true
	close(i.shutdownCh)
	return nil
}
