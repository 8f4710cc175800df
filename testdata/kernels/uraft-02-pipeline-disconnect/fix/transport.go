// Package fix connects nodes of one process without a network.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrPipelineClosed is returned by pipelines of a disconnected peer.
var ErrPipelineClosed = errors.New("pipeline is shut down")

// Request is one message with the channel for its answer.
type Request struct {
	Entries [][]byte
	Answer  chan error
}

// Transport reaches the peers it was connected to.
type Transport struct {
	sync.RWMutex
	addr      string
	inbox     chan Request
	peers     map[string]*Transport
	pipelines []*Pipeline
	timeout   time.Duration
}

// NewTransport returns a transport without peers.
func NewTransport(addr string, timeout time.Duration) *Transport {
	return &Transport{
		addr:    addr,
		inbox:   make(chan Request, 16),
		peers:   make(map[string]*Transport),
		timeout: timeout,
	}
}

// Inbox returns the requests of other nodes.
func (t *Transport) Inbox() <-chan Request { return t.inbox }

// Call sends one request and waits for the answer.
func (t *Transport) Call(target string, entries [][]byte) error {
	t.RLock()
	peer, ok := t.peers[target]
	t.RUnlock()
	if !ok {
		return fmt.Errorf("failed to connect to peer %s", target)
	}
	req := Request{Entries: entries, Answer: make(chan error, 1)}
	peer.inbox <- req
	select {
	case err := <-req.Answer:
		return err
	case <-time.After(t.timeout):
		return fmt.Errorf("request to %s timed out", target)
	}
}

// OpenPipeline returns a pipeline that lives until target is disconnected.
func (t *Transport) OpenPipeline(target string) (*Pipeline, error) {
	t.Lock()
	defer t.Unlock()
	peer, ok := t.peers[target]
	if !ok {
		return nil, fmt.Errorf("failed to connect to peer %s", target)
	}
	p := newPipeline(t, peer, target)
	t.pipelines = append(t.pipelines, p)
	return p, nil
}

// Connect makes peer reachable.
func (t *Transport) Connect(peer *Transport) {
	t.Lock()
	defer t.Unlock()
	t.peers[peer.addr] = peer
}

// Disconnect makes target unreachable and closes its pipelines.
func (t *Transport) Disconnect(target string) {
	t.Lock()
	defer t.Unlock()
	delete(t.peers, target)
	keep := t.pipelines[:0]
	for _, p := range t.pipelines {
		if p.target == target {
			p.Close()
		} else {
			keep = append(keep, p)
		}
	}
	t.pipelines = keep
}

// Pipeline sends requests without waiting for the answers.
type Pipeline struct {
	target  string
	peer    *Transport
	timeout time.Duration
	pending chan Request
	results chan error

	mu     sync.Mutex
	closed bool
	quit   chan struct{}
}

func newPipeline(t, peer *Transport, target string) *Pipeline {
	p := &Pipeline{
		target:  target,
		peer:    peer,
		timeout: t.timeout,
		pending: make(chan Request, 16),
		results: make(chan error, 16),
		quit:    make(chan struct{}),
	}
	go p.collect()
	return p
}

func (p *Pipeline) collect() {
	for {
		select {
		case req := <-p.pending:
			select {
			case err := <-req.Answer:
				p.results <- err
			case <-time.After(p.timeout):
				p.results <- errors.New("request timed out")
			case <-p.quit:
				return
			}
		case <-p.quit:
			return
		}
	}
}

// Send queues a request.
func (p *Pipeline) Send(entries [][]byte) error {
	req := Request{Entries: entries, Answer: make(chan error, 1)}
	select {
	case p.peer.inbox <- req:
	case <-p.quit:
		return ErrPipelineClosed
	}
	select {
	case p.pending <- req:
		return nil
	case <-p.quit:
		return ErrPipelineClosed
	}
}

// Close stops the pipeline. It may be called more than once.
func (p *Pipeline) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		close(p.quit)
	}
	return nil
}
