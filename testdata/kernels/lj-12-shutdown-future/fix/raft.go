package raft

import (
	"errors"
	"log"
	"sync"
	"time"
)

// ErrRaftShutdown is returned when operations are requested against an
// inactive Raft.
var ErrRaftShutdown = errors.New("raft is already shutdown")

// Config provides any necessary configuration to the Raft server
type Config struct {
	HeartbeatTimeout time.Duration
	SnapshotInterval time.Duration

	// ShutdownOnRemove is used to control if the raft node is shutdown
	// when it is removed from the cluster.
	ShutdownOnRemove bool
}

// Raft implements a Raft node.
type Raft struct {
	raftState

	// applyCh is used to async send logs to the main thread to
	// be committed and applied to the FSM.
	applyCh chan *logFuture

	// Configuration provided at Raft initialization
	conf *Config

	// FSM is the client state machine to apply commands to
	fsm func(data []byte) interface{}

	// Track our known peers
	peerCh    chan []string
	localAddr string

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
func NewRaft(conf *Config, fsm func([]byte) interface{}, trans Transport) *Raft {
	r := &Raft{
		applyCh:    make(chan *logFuture),
		conf:       conf,
		fsm:        fsm,
		peerCh:     make(chan []string),
		localAddr:  trans.LocalAddr(),
		rpcCh:      trans.Consumer(),
		shutdownCh: make(chan struct{}),
		trans:      trans,
	}
	// Initialize as a follower
	r.setState(Follower)

	// Start the background work
	r.goFunc(r.run)
	r.goFunc(r.runSnapshots)
	return r
}

// Apply is used to apply a command to the FSM in a highly consistent
// manner.
func (r *Raft) Apply(cmd []byte) Future {
	logFuture := &logFuture{data: cmd}
	logFuture.init()

	select {
	case <-r.shutdownCh:
		return errorFuture{ErrRaftShutdown}
	case r.applyCh <- logFuture:
		return logFuture
	}
}

// SetPeers tells the node about a new peer set.
func (r *Raft) SetPeers(peers []string) error {
	select {
	case <-r.shutdownCh:
		return ErrRaftShutdown
	case r.peerCh <- peers:
		return nil
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
		return &shutdownFuture{r}
	}

	// avoid closing transport twice
	return &shutdownFuture{nil}
}

// run is a long running goroutine that runs the Raft FSM
func (r *Raft) run() {
	for {
		select {
		case rpc := <-r.rpcCh:
			r.processRPC(rpc)
		case a := <-r.applyCh:
			a.response = r.fsm(a.data)
			a.respond(nil)
		case peers := <-r.peerCh:
			r.handlePeers(peers)
		case <-r.shutdownCh:
			return
		}
	}
}

// handlePeers shuts us down if we are not part of the cluster any more.
func (r *Raft) handlePeers(peers []string) {
	for _, p := range peers {
		if p == r.localAddr {
			return
		}
	}
	if r.conf.ShutdownOnRemove {
		log.Printf("[INFO] raft: Removed ourself, shutting down")
		f := r.Shutdown()
		go f.Error()
	} else {
		log.Printf("[INFO] raft: Removed ourself, transitioning to follower")
		r.setState(Follower)
	}
}

func (r *Raft) processRPC(rpc RPC) {
	rpc.RespChan <- r.getState()
}

// runSnapshots is a long running goroutine used to manage taking
// new snapshots of the FSM.
func (r *Raft) runSnapshots() {
	tick := time.NewTicker(r.conf.SnapshotInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-r.shutdownCh:
			return
		}
	}
}
