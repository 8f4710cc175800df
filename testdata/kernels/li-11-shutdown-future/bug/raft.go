package raft

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrRaftShutdown is returned when operations are requested against an
	// inactive Raft.
	ErrRaftShutdown = errors.New("raft is already shutdown")

	// ErrEnqueueTimeout is returned when a command fails due to a timeout.
	ErrEnqueueTimeout = errors.New("timed out enqueuing operation")

	// ErrNotLeader is returned when an operation can't be completed on a
	// follower or candidate node.
	ErrNotLeader = errors.New("node is not the leader")
)

// RaftState captures the state of a Raft node: Follower, Leader,
// or Shutdown.
type RaftState uint32

const (
	Follower RaftState = iota
	Leader
	Shutdown
)

// FSM is provided by the client to make use of the replicated log.
type FSM interface {
	Apply(data []byte) interface{}
}

// Raft implements a Raft node.
type Raft struct {
	// raftState is the current state, accessed atomically
	raftState uint32

	// routines is the number of running goroutines, accessed atomically
	routines int32

	// applyCh is used to async send logs to the main thread to
	// be committed and applied to the FSM.
	applyCh chan *logFuture

	// fsmCommitCh is used to trigger async application of logs to the fsm
	fsmCommitCh chan *logFuture

	fsm FSM

	// RPC chan comes from the transport layer
	rpcCh <-chan RPC

	// Shutdown channel to exit, protected to prevent concurrent exits
	shutdown     bool
	shutdownCh   chan struct{}
	shutdownLock sync.Mutex

	// The transport layer we use
	trans Transport
}

// NewRaft is used to construct a new Raft node.
func NewRaft(fsm FSM, trans Transport, startAsLeader bool) *Raft {
	r := &Raft{
		applyCh:     make(chan *logFuture),
		fsmCommitCh: make(chan *logFuture, 128),
		fsm:         fsm,
		rpcCh:       trans.Consumer(),
		shutdownCh:  make(chan struct{}),
		trans:       trans,
	}
	if startAsLeader {
		r.setState(Leader)
	}

	// Start the background work
	r.goFunc(r.run)
	r.goFunc(r.runFSM)
	return r
}

func (r *Raft) getState() RaftState {
	return RaftState(atomic.LoadUint32(&r.raftState))
}

func (r *Raft) setState(s RaftState) {
	atomic.StoreUint32(&r.raftState, uint32(s))
}

// Start a goroutine and properly handle the race between a routine
// starting and incrementing, and exiting and decrementing.
func (r *Raft) goFunc(f func()) {
	atomic.AddInt32(&r.routines, 1)
	go func() {
		defer atomic.AddInt32(&r.routines, -1)
		f()
	}()
}

func (r *Raft) getRoutines() int32 {
	return atomic.LoadInt32(&r.routines)
}

// Apply is used to apply a command to the FSM in a highly consistent
// manner. This returns a future that can be used to wait on the application.
// An optional timeout can be provided to limit the amount of time we wait
// for the command to be started.
func (r *Raft) Apply(cmd []byte, timeout time.Duration) ApplyFuture {
	var timer <-chan time.Time
	if timeout > 0 {
		timer = time.After(timeout)
	}

	logFuture := &logFuture{data: cmd}
	logFuture.init()

	select {
	case <-timer:
		return errorFuture{ErrEnqueueTimeout}
	case <-r.shutdownCh:
		return errorFuture{ErrRaftShutdown}
	case r.applyCh <- logFuture:
		return logFuture
	}
}

// Shutdown is used to stop the Raft background routines.
// This is not a graceful operation. Provides a future that
// can be used to block until all background routines have exited.
func (r *Raft) Shutdown() Future {
	r.shutdownLock.Lock()
	defer r.shutdownLock.Unlock()

	if !r.shutdown {
		close(r.shutdownCh)
		r.shutdown = true
		r.setState(Shutdown)
	}

	return &shutdownFuture{r}
}

// run is a long running goroutine that runs the Raft FSM.
func (r *Raft) run() {
	for {
		select {
		case rpc := <-r.rpcCh:
			r.processRPC(rpc)
		case f := <-r.applyCh:
			if r.getState() != Leader {
				f.respond(ErrNotLeader)
				continue
			}
			select {
			case r.fsmCommitCh <- f:
			case <-r.shutdownCh:
				f.respond(ErrRaftShutdown)
			}
		case <-r.shutdownCh:
			return
		}
	}
}

// processRPC is called to handle an incoming RPC request.
func (r *Raft) processRPC(rpc RPC) {
	switch cmd := rpc.Command.(type) {
	case string:
		rpc.Respond(cmd, nil)
	default:
		log.Printf("[ERR] raft: Got unexpected command: %#v", rpc.Command)
		rpc.Respond(nil, errors.New("unexpected command"))
	}
}

// runFSM is a long running goroutine responsible for applying logs
// to the FSM.
func (r *Raft) runFSM() {
	for {
		select {
		case f := <-r.fsmCommitCh:
			f.response = r.fsm.Apply(f.data)
			f.respond(nil)
		case <-r.shutdownCh:
			for {
				select {
				case f := <-r.fsmCommitCh:
					f.respond(ErrRaftShutdown)
				default:
					return
				}
			}
		}
	}
}
