package raft

import (
	"errors"
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

type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// logFuture is used to apply a log entry and waits until
// the log is considered committed
type logFuture struct {
	log    Log
	policy quorumPolicy
	errCh  chan error
}

func (d *logFuture) init() {
	d.errCh = make(chan error, 1)
}

// Error blocks until the log was applied or given up.
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

type FSM interface {
	Apply([]byte)
}

type Transport interface {
	AppendEntries(peer net.Addr, index uint64) (term uint64, err error)
}

// leaderState is state that is used while we are a leader
type leaderState struct {
	inflight  *inflight
	commitCh  chan *logFuture
	replState map[string]*followerReplication
	stepDown  chan struct{}
}

type followerReplication struct {
	peer       net.Addr
	inflight   *inflight
	stopCh     chan struct{}
	triggerCh  chan struct{}
	stepDown   chan struct{}
	matchIndex uint64
}

type Raft struct {
	state       atomic.Uint32
	currentTerm atomic.Uint64
	lastIndex   atomic.Uint64

	localAddr   net.Addr
	peers       []net.Addr
	fsm         FSM
	trans       Transport
	applyCh     chan *logFuture
	electionCh  chan struct{}
	shutdownCh  chan struct{}
	once        sync.Once
	leaderState leaderState
}

func NewRaft(fsm FSM, trans Transport, local net.Addr, peers []net.Addr) *Raft {
	r := &Raft{
		localAddr:  local,
		peers:      peers,
		fsm:        fsm,
		trans:      trans,
		applyCh:    make(chan *logFuture),
		electionCh: make(chan struct{}, 1),
		shutdownCh: make(chan struct{}),
	}
	go r.run()
	return r
}

// Apply is used to apply a command to the FSM in a highly consistent
// manner. This returns a future that can be used to wait on the application.
func (r *Raft) Apply(cmd []byte) (*logFuture, error) {
	logFuture := &logFuture{log: Log{Data: cmd}}
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
		if r.getState() == Leader {
			r.runLeader()
		} else {
			r.runFollower()
		}
	}
}

func (r *Raft) runFollower() {
	for {
		select {
		case a := <-r.applyCh:
			// Reject any operations since we are not the leader
			a.respond(NotLeader)
		case <-r.electionCh:
			r.currentTerm.Add(1)
			r.setState(Leader)
			return
		case <-r.shutdownCh:
			return
		}
	}
}

// runLeader runs the FSM for a leader. Do the setup here and drop into
// the leaderLoop for the hot loop
func (r *Raft) runLeader() {
	// Setup leader state
	r.leaderState.commitCh = make(chan *logFuture, 128)
	r.leaderState.inflight = newInflight(r.leaderState.commitCh)
	r.leaderState.replState = make(map[string]*followerReplication)
	r.leaderState.stepDown = make(chan struct{}, 1)

	// Cleanup state on step down
	defer func() {
		// Stop replication
		for _, p := range r.leaderState.replState {
			close(p.stopCh)
		}

		// Cancel inflight requests
		r.leaderState.inflight.Cancel(LeadershipLost)

		// Clear all the state
		r.leaderState.commitCh = nil
		r.leaderState.inflight = nil
		r.leaderState.replState = nil
	}()

	// Start a replication routine for each peer
	for _, peer := range r.peers {
		r.startReplication(peer)
	}

	// Dispatch a no-op log first
	r.dispatchLog(&logFuture{})

	// Sit in the leader loop until we step down
	r.leaderLoop()
}

// startReplication is a helper to setup state and start async replication to a peer
func (r *Raft) startReplication(peer net.Addr) {
	s := &followerReplication{
		peer:       peer,
		inflight:   r.leaderState.inflight,
		stopCh:     make(chan struct{}),
		triggerCh:  make(chan struct{}, 1),
		stepDown:   r.leaderState.stepDown,
		matchIndex: r.lastIndex.Load(),
	}
	r.leaderState.replState[peer.String()] = s
	go r.replicate(s)
}

// leaderLoop is the hot loop for a leader, it is invoked
// after all the various leader setup is done
func (r *Raft) leaderLoop() {
	for r.getState() == Leader {
		select {
		case commitLog := <-r.leaderState.commitCh:
			if commitLog.log.Data != nil {
				r.fsm.Apply(commitLog.log.Data)
			}
			commitLog.respond(nil)

		case newLog := <-r.applyCh:
			r.dispatchLog(newLog)

		case <-r.leaderState.stepDown:
			r.setState(Follower)

		case <-r.shutdownCh:
			return
		}
	}
}

// dispatchLog is called to mark a log
// as inflight and begin replication of it
func (r *Raft) dispatchLog(applyLog *logFuture) {
	// Prepare log
	applyLog.log.Index = r.lastIndex.Load() + 1
	applyLog.log.Term = r.currentTerm.Load()
	applyLog.policy = newMajorityQuorum(len(r.peers) + 1)

	// Add this to the inflight logs, commit
	r.leaderState.inflight.Start(applyLog)
	r.leaderState.inflight.Commit(applyLog.log.Index, r.localAddr)

	// Update the last log since it's on disk now
	r.lastIndex.Store(applyLog.log.Index)

	// Notify the replicators of the new log
	for _, f := range r.leaderState.replState {
		select {
		case f.triggerCh <- struct{}{}:
		default:
		}
	}
}

// replicate is a long running routine that is used to manage
// the process of replicating logs to our followers
func (r *Raft) replicate(s *followerReplication) {
	for {
		select {
		case <-s.triggerCh:
		case <-time.After(100 * time.Millisecond):
		case <-s.stopCh:
			return
		}
		last := r.lastIndex.Load()
		term, err := r.trans.AppendEntries(s.peer, last)
		if err != nil {
			continue
		}
		// Check for a newer term, stop running
		if term > r.currentTerm.Load() {
			select {
			case s.stepDown <- struct{}{}:
			default:
			}
			return
		}
		// Mark any inflight logs as committed
		for i := s.matchIndex + 1; i <= last; i++ {
			s.inflight.Commit(i, s.peer)
		}
		s.matchIndex = last
	}
}
