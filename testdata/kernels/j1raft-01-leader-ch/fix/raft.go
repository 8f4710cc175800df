// Package consensus elects a leader and runs what only the leader may run.
package consensus

import (
	"log"
	"sync/atomic"
	"time"
)

// RaftState captures the state of a node: Follower, Candidate or Leader.
type RaftState uint32

const (
	Follower RaftState = iota
	Candidate
	Leader
)

// Transport talks to the peers.
type Transport interface {
	// Consumer delivers the terms of the heartbeats of other leaders.
	Consumer() <-chan uint64
	// RequestVotes asks all peers and reports if a majority voted for us.
	RequestVotes(term uint64) bool
	// Heartbeat reports if a majority still accepts us.
	Heartbeat(term uint64) bool
}

// Config has the timing of a node.
type Config struct {
	HeartbeatTimeout, ElectionTimeout, LeaseTimeout time.Duration
	Logger                                          *log.Logger
}

// Raft is one node of the cluster.
type Raft struct {
	conf  Config
	trans Transport

	state       atomic.Uint32
	currentTerm atomic.Uint64

	// leaderCh is used to notify of leadership changes
	leaderCh chan bool

	shutdownCh chan struct{}
	doneCh     chan struct{}
}

// NewRaft starts a node as a follower.
func NewRaft(conf Config, trans Transport) *Raft {
	r := &Raft{
		conf:       conf,
		trans:      trans,
		leaderCh:   make(chan bool, 1),
		shutdownCh: make(chan struct{}),
		doneCh:     make(chan struct{}),
	}
	go r.run()
	return r
}

// LeaderCh is used to get a channel which delivers signals on
// acquiring or losing leadership. It sends true if we become
// the leader, and false if we lose it.
//
// If receivers aren't ready for the signal, only the latest leadership
// transition is kept for them.
func (r *Raft) LeaderCh() <-chan bool { return r.leaderCh }

// State returns the current state.
func (r *Raft) State() RaftState { return RaftState(r.state.Load()) }

// Shutdown stops the node. It must be called once.
func (r *Raft) Shutdown() {
	close(r.shutdownCh)
	<-r.doneCh
}

func (r *Raft) setState(s RaftState) { r.state.Store(uint32(s)) }

func (r *Raft) run() {
	defer close(r.doneCh)
	for {
		select {
		case <-r.shutdownCh:
			return
		default:
		}
		switch r.State() {
		case Follower:
			r.runFollower()
		case Candidate:
			r.runCandidate()
		case Leader:
			r.runLeader()
		}
	}
}

// observeTerm makes us a follower of a leader that is at least as new.
func (r *Raft) observeTerm(term uint64) {
	if term >= r.currentTerm.Load() {
		r.currentTerm.Store(term)
		r.setState(Follower)
	}
}

func (r *Raft) runFollower() {
	for {
		select {
		case term := <-r.trans.Consumer():
			r.observeTerm(term)
		case <-randomTimeout(r.conf.HeartbeatTimeout):
			r.conf.Logger.Print("heartbeat timeout reached, starting election")
			r.setState(Candidate)
			return
		case <-r.shutdownCh:
			return
		}
	}
}

func (r *Raft) runCandidate() {
	term := r.currentTerm.Add(1)
	if r.trans.RequestVotes(term) {
		r.conf.Logger.Printf("election won in term %d", term)
		r.setState(Leader)
		return
	}
	<-randomTimeout(r.conf.ElectionTimeout)
}

func (r *Raft) runLeader() {
	// Notify that we are the leader
	overrideNotifyBool(r.leaderCh, true)
	defer func() {
		// Notify that we are not the leader
		overrideNotifyBool(r.leaderCh, false)
	}()

	lease := time.NewTicker(r.conf.LeaseTimeout)
	defer lease.Stop()
	for r.State() == Leader {
		select {
		case term := <-r.trans.Consumer():
			r.observeTerm(term)
		case <-lease.C:
			if !r.trans.Heartbeat(r.currentTerm.Load()) {
				r.conf.Logger.Print("leader lease timeout, stepping down")
				r.setState(Follower)
			}
		case <-r.shutdownCh:
			return
		}
	}
}
