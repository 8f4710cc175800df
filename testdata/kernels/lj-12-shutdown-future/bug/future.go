package raft

import (
	"sync"
	"sync/atomic"
	"time"
)

// RaftState captures the state of a Raft node.
type RaftState uint32

const (
	Follower RaftState = iota
	Candidate
	Leader
	Shutdown
)

// raftState is used to maintain various state variables
// and provides an interface to set/get the variables in a
// thread safe manner.
type raftState struct {
	// Tracks the number of live routines
	runningRoutines int32

	// The current state
	state uint32
}

func (r *raftState) getState() RaftState {
	return RaftState(atomic.LoadUint32(&r.state))
}

func (r *raftState) setState(s RaftState) {
	atomic.StoreUint32(&r.state, uint32(s))
}

func (r *raftState) incrRoutines() {
	atomic.AddInt32(&r.runningRoutines, 1)
}

func (r *raftState) decrRoutines() {
	atomic.AddInt32(&r.runningRoutines, -1)
}

func (r *raftState) getRoutines() int32 {
	return atomic.LoadInt32(&r.runningRoutines)
}

// Start a goroutine and properly handle the race between a routine
// starting and incrementing, and exiting and decrementing.
func (r *raftState) goFunc(f func()) {
	r.incrRoutines()
	go func() {
		defer r.decrRoutines()
		f()
	}()
}

// Future is used to represent an action that may occur in the future.
type Future interface {
	// Error blocks until the future arrives and then returns the error status
	// of the future.
	Error() error
}

// errorFuture is used to return a static error.
type errorFuture struct {
	err error
}

func (e errorFuture) Error() error { return e.err }

// logFuture is used to apply a log entry and waits until
// the log is considered committed.
type logFuture struct {
	data     []byte
	response interface{}
	errCh    chan error
}

func (d *logFuture) init() { d.errCh = make(chan error, 1) }

func (d *logFuture) respond(err error) { d.errCh <- err }

func (d *logFuture) Error() error { return <-d.errCh }

type shutdownFuture struct {
	raft *Raft
}

func (s *shutdownFuture) Error() error {
	for s.raft.getRoutines() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
	if closeable, ok := s.raft.trans.(WithClose); ok {
		closeable.Close()
	}
	return nil
}

// RPC has a command, and provides a response mechanism.
type RPC struct {
	Command  interface{}
	RespChan chan<- interface{}
}

// Transport provides an interface for network transports
// to allow Raft to communicate with other nodes.
type Transport interface {
	// Consumer returns a channel that can be used to
	// consume and respond to RPC requests.
	Consumer() <-chan RPC

	// LocalAddr is used to return our local address to distinguish from our peers.
	LocalAddr() string
}

// WithClose is an interface that a transport may provide which
// allows a transport to be shut down cleanly when a Raft instance
// shuts down.
type WithClose interface {
	// Permanently close a transport, stopping all network activity.
	Close() error
}

// InmemTransport implements the Transport interface, to allow Raft to be
// tested in-memory without going over a network.
type InmemTransport struct {
	sync.RWMutex
	consumerCh chan RPC
	localAddr  string
	peers      map[string]*InmemTransport
	doneCh     chan struct{}
}

// NewInmemTransport is used to initialize a new transport
func NewInmemTransport(addr string) *InmemTransport {
	return &InmemTransport{
		consumerCh: make(chan RPC, 16),
		localAddr:  addr,
		peers:      make(map[string]*InmemTransport),
		doneCh:     make(chan struct{}),
	}
}

func (i *InmemTransport) Consumer() <-chan RPC { return i.consumerCh }
func (i *InmemTransport) LocalAddr() string    { return i.localAddr }

// Connect is used to connect this transport to another transport for
// a given peer name.
func (i *InmemTransport) Connect(peer string, t *InmemTransport) {
	i.Lock()
	defer i.Unlock()
	i.peers[peer] = t
}

// Close is used to permanently disable the transport
func (i *InmemTransport) Close() error {
	i.Lock()
	defer i.Unlock()
	close(i.doneCh)
	i.peers = make(map[string]*InmemTransport)
	return nil
}
