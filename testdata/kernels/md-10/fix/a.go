package a

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrPipelineShutdown = errors.New("append pipeline closed")

type AppendEntriesRequest struct {
	Term    uint64
	Entries []string
}

type RPCResponse struct {
	Success bool
	Error   error
}

type RPC struct {
	Command  *AppendEntriesRequest
	RespChan chan<- RPCResponse
}

type appendFuture struct {
	args  *AppendEntriesRequest
	errCh chan error
	resp  RPCResponse
}

func (f *appendFuture) Error() error { return <-f.errCh }

type inmemPipelineInflight struct {
	future *appendFuture
	respCh <-chan RPCResponse
}

type InmemTransport struct {
	sync.RWMutex
	consumerCh chan RPC
	peers      map[string]*InmemTransport
	pipelines  []*inmemPipeline
	timeout    time.Duration
}

func NewInmemTransport() *InmemTransport {
	return &InmemTransport{
		consumerCh: make(chan RPC, 16),
		peers:      make(map[string]*InmemTransport),
		timeout:    50 * time.Millisecond,
	}
}

func (i *InmemTransport) Consumer() <-chan RPC { return i.consumerCh }

func (i *InmemTransport) Connect(addr string, t *InmemTransport) {
	i.Lock()
	defer i.Unlock()
	i.peers[addr] = t
}

func (i *InmemTransport) AppendEntriesPipeline(target string) (*inmemPipeline, error) {
	i.Lock()
	defer i.Unlock()
	peer, ok := i.peers[target]
	if !ok {
		return nil, fmt.Errorf("failed to connect to peer: %v", target)
	}
	p := newInmemPipeline(i, peer)
	i.pipelines = append(i.pipelines, p)
	return p, nil
}

// Close permanently disables the transport: once it has returned, none of its
// pipelines accepts a request any more.
func (i *InmemTransport) Close() error {
	i.Lock()
	defer i.Unlock()
	i.peers = make(map[string]*InmemTransport)
	for _, p := range i.pipelines {
		p.Close()
	}
	i.pipelines = nil
	return nil
}

type inmemPipeline struct {
	trans        *InmemTransport
	peer         *InmemTransport
	inprogressCh chan *inmemPipelineInflight

	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.RWMutex
}

func newInmemPipeline(trans, peer *InmemTransport) *inmemPipeline {
	i := &inmemPipeline{
		trans:        trans,
		peer:         peer,
		inprogressCh: make(chan *inmemPipelineInflight, 16),
		shutdownCh:   make(chan struct{}),
	}
	go i.decodeResponses()
	return i
}

func (i *inmemPipeline) decodeResponses() {
	for {
		select {
		case inp := <-i.inprogressCh:
			select {
			case r := <-inp.respCh:
				inp.future.resp = r
				inp.future.errCh <- r.Error
			case <-i.shutdownCh:
				return
			}
		case <-i.shutdownCh:
			return
		}
	}
}

func (i *inmemPipeline) AppendEntries(args *AppendEntriesRequest) (*appendFuture, error) {
	future := &appendFuture{args: args, errCh: make(chan error, 1)}
	respCh := make(chan RPCResponse, 1)
	rpc := RPC{Command: args, RespChan: respCh}

	// The select below picks a ready case at random.
	i.shutdownLock.RLock()
	shutdown := i.shutdown
	i.shutdownLock.RUnlock()
	if shutdown {
		return nil, ErrPipelineShutdown
	}

	select {
	case i.peer.consumerCh <- rpc:
	case <-time.After(i.trans.timeout):
		return nil, errors.New("command enqueue timeout")
	case <-i.shutdownCh:
		return nil, ErrPipelineShutdown
	}

	select {
	case i.inprogressCh <- &inmemPipelineInflight{future, respCh}:
		return future, nil
	case <-i.shutdownCh:
		return nil, ErrPipelineShutdown
	}
}

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
