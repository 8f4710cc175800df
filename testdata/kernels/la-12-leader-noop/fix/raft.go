package raft

import (
	"errors"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

var (
	NotLeader      = errors.New("node is not the leader")
	LeadershipLost = errors.New("leadership lost while committing log")
	RaftShutdown   = errors.New("raft is already shutdown")
)

type RaftState uint32

const (
	Follower RaftState = iota
	Candidate
	Leader
)

type LogType uint8

const (
	LogCommand LogType = iota
	LogNoop
)

type Log struct {
	Index uint64
	Term  uint64
	Type  LogType
	Data  []byte
}

// logFuture is used to apply a log entry and waits until
// the log is considered committed
type logFuture struct {
	log   Log
	errCh chan error
}

func (d *logFuture) init() {
	d.errCh = make(chan error, 1)
}

func (d *logFuture) Error() error {
	return <-d.errCh
}

func (d *logFuture) respond(err error) {
	if d.errCh == nil {
		return
	}
	d.errCh <- err
	close(d.errCh)
}

// FSM is implemented by the clients.
type FSM interface {
	Apply([]byte)
}

// LogStore is used to provide an interface for storing
// and retrieving logs in a durable fashion
type LogStore interface {
	StoreLog(log *Log) error
	GetLog(index uint64, log *Log) error
}

type Raft struct {
	// Current state
	state       atomic.Uint32
	currentTerm atomic.Uint64
	commitIndex atomic.Uint64
	lastApplied atomic.Uint64
	lastLog     atomic.Uint64

	// applyCh is used to manage commands to be applied
	applyCh chan *logFuture

	localAddr net.Addr
	peers     []net.Addr
	fsm       FSM
	logs      LogStore

	rpcCh       chan uint64 // term of a newer leader
	shutdownCh  chan struct{}
	once        sync.Once
	leaderState struct {
		inflight *inflight
		commitCh chan *logFuture
		stopCh   chan struct{}
	}
}

func NewRaft(fsm FSM, logs LogStore, local net.Addr, peers []net.Addr) *Raft {
	r := &Raft{
		applyCh:    make(chan *logFuture),
		localAddr:  local,
		peers:      peers,
		fsm:        fsm,
		logs:       logs,
		rpcCh:      make(chan uint64),
		shutdownCh: make(chan struct{}),
	}
	go r.run()
	return r
}

// Apply is used to apply a command to the FSM in a highly consistent
// manner. This must be run on the leader or it will fail.
func (r *Raft) Apply(cmd []byte) (*logFuture, error) {
	logFuture := &logFuture{log: Log{Type: LogCommand, Data: cmd}}
	logFuture.init()

	select {
	case <-r.shutdownCh:
		return nil, RaftShutdown
	case r.applyCh <- logFuture:
		return logFuture, nil
	}
}

// Shutdown is used to stop the Raft background routines.
func (r *Raft) Shutdown() {
	r.once.Do(func() { close(r.shutdownCh) })
}

func (r *Raft) getState() RaftState  { return RaftState(r.state.Load()) }
func (r *Raft) setState(s RaftState) { r.state.Store(uint32(s)) }

// run is a long running goroutine that runs the Raft FSM
func (r *Raft) run() {
	for {
		select {
		case <-r.shutdownCh:
			return
		default:
		}
		switch r.getState() {
		case Follower:
			r.runFollower()
		case Candidate:
			r.runCandidate()
		case Leader:
			r.runLeader()
		}
	}
}

// runFollower runs the FSM for a follower
func (r *Raft) runFollower() {
	for {
		select {
		case term := <-r.rpcCh:
			r.currentTerm.Store(max(term, r.currentTerm.Load()))
		case a := <-r.applyCh:
			// Reject any operations since we are not the leader
			a.respond(NotLeader)
		case <-time.After(150 * time.Millisecond):
			// Heartbeat failed! Transition to the candidate state
			r.setState(Candidate)
			return
		case <-r.shutdownCh:
			return
		}
	}
}

// runCandidate runs the FSM for a candidate
func (r *Raft) runCandidate() {
	r.currentTerm.Add(1)
	select {
	case term := <-r.rpcCh:
		r.currentTerm.Store(max(term, r.currentTerm.Load()))
		r.setState(Follower)
	case a := <-r.applyCh:
		a.respond(NotLeader)
	case <-time.After(10 * time.Millisecond):
		log.Printf("[INFO] Election won. Term: %d", r.currentTerm.Load())
		r.setState(Leader)
	case <-r.shutdownCh:
	}
}

// runLeader runs the FSM for a leader. Do the setup here and drop into
// the leaderLoop for the hot loop
func (r *Raft) runLeader() {
	// Setup leader state
	r.leaderState.commitCh = make(chan *logFuture, 128)
	r.leaderState.inflight = newInflight(r.leaderState.commitCh)
	r.leaderState.stopCh = make(chan struct{})

	// Cleanup state on step down
	defer func() {
		// Stop replication
		close(r.leaderState.stopCh)

		// Cancel inflight requests
		r.leaderState.inflight.Cancel(LeadershipLost)

		// Respond to any requests in the queue
		for future := range r.leaderState.commitCh {
			future.respond(LeadershipLost)
		}
	}()

	// Start a replication routine for each peer
	for _, peer := range r.peers {
		go r.replicate(peer, r.leaderState.inflight, r.leaderState.stopCh, r.lastLog.Load())
	}

	// Dispatch a no-op log first
	noop := &logFuture{log: Log{Type: LogNoop}}
	r.dispatchLog(noop)

	// Sit in the leader loop until we step down
	r.leaderLoop()
}

// leaderLoop is the hot loop for a leader, it is invoked
// after all the various leader setup is done
func (r *Raft) leaderLoop() {
	for r.getState() == Leader {
		select {
		case term := <-r.rpcCh:
			if term > r.currentTerm.Load() {
				r.currentTerm.Store(term)
				r.setState(Follower)
			}

		case commitLog := <-r.leaderState.commitCh:
			// Increment the commit index
			idx := commitLog.log.Index
			r.commitIndex.Store(idx)
			r.processLogs(idx, commitLog)

		case newLog := <-r.applyCh:
			r.dispatchLog(newLog)

		case <-r.shutdownCh:
			return
		}
	}
}

// dispatchLog is called to push a log to disk, mark it
// as inflight and begin replication of it
func (r *Raft) dispatchLog(applyLog *logFuture) {
	// Prepare log
	applyLog.log.Index = r.lastLog.Load() + 1
	applyLog.log.Term = r.currentTerm.Load()

	// Write the log entry locally
	if err := r.logs.StoreLog(&applyLog.log); err != nil {
		log.Printf("[ERR] Failed to commit log: %v", err)
		applyLog.respond(err)
		r.setState(Follower)
		return
	}

	// Add this to the inflight logs, commit
	r.leaderState.inflight.Start(applyLog, len(r.peers)+1)
	r.leaderState.inflight.Commit(applyLog.log.Index)

	// Update the last log since it's on disk now
	r.lastLog.Store(applyLog.log.Index)
}

// processLogs is used to process all the logs from the lastApplied
// up to the given index
func (r *Raft) processLogs(index uint64, future *logFuture) {
	// Apply all the preceeding logs
	for idx := r.lastApplied.Load() + 1; idx <= index; idx++ {
		// Get the log, either from the future or from our log store
		entry := new(Log)
		if future.log.Index == idx {
			entry = &future.log
		} else if err := r.logs.GetLog(idx, entry); err != nil {
			log.Printf("[ERR] Failed to get log at %d: %v", idx, err)
			panic(err)
		}
		if entry.Type == LogCommand {
			r.fsm.Apply(entry.Data)
		}
		r.lastApplied.Store(idx)
	}
	future.respond(nil)
}
