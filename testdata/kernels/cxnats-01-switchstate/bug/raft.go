// Package bug is the state machine of a consensus group.
package bug

import (
	"sync"
	"sync/atomic"
	"time"
)

// RaftState is the state of a node.
type RaftState int32

// The states.
const (
	Follower RaftState = iota
	Leader
	Candidate
	Closed
)

// WAL is the log on disk.
type WAL interface {
	Stop() error
	Delete() error
	LastSeq() uint64
	WriteTermVote(term uint64, vote string) error
}

// Server owns the groups.
type Server struct {
	mu    sync.RWMutex
	nodes map[string]*raft
}

func (s *Server) registerRaftNode(group string, n *raft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = make(map[string]*raft)
	}
	s.nodes[group] = n
}

func (s *Server) unregisterRaftNode(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.nodes, group)
}

type raft struct {
	sync.RWMutex

	s     *Server
	id    string
	group string
	wal   WAL
	state atomic.Int32 // RaftState

	term   uint64
	commit uint64
	vote   string
	leader string
	pae    map[uint64]string
	elect  *time.Timer

	leadc chan bool
	quit  chan struct{}
}

func (s *Server) startRaftNode(group, id string, wal WAL) *raft {
	n := &raft{
		s:     s,
		id:    id,
		group: group,
		wal:   wal,
		pae:   make(map[uint64]string),
		elect: time.NewTimer(time.Second),
		leadc: make(chan bool, 1),
		quit:  make(chan struct{}),
	}
	s.registerRaftNode(group, n)
	return n
}

// State returns the current state.
func (n *raft) State() RaftState { return RaftState(n.state.Load()) }

// Stop stops the node. It may be called more than once.
func (n *raft) Stop() { n.shutdown(false) }

// Delete stops the node and deletes its log. It may be called more than once.
func (n *raft) Delete() { n.shutdown(true) }

func (n *raft) shutdown(shouldDelete bool) {
	// Needs to be a Swap operation in order to prevent races if
	// more than one caller hits shutdown() at once, the returned
	// value will be the previous state.
	if n.state.Swap(int32(Closed)) == int32(Closed) {
		return
	}

	n.Lock()

	close(n.quit)
	n.elect.Stop()
	s, g, wal := n.s, n.group, n.wal
	n.Unlock()

	s.unregisterRaftNode(g)
	if wal != nil {
		if shouldDelete {
			_ = wal.Delete()
		} else {
			_ = wal.Stop()
		}
	}
}

// Lock should be held.
func (n *raft) switchState(state RaftState) {
	if n.State() == Closed {
		return
	}

	// Reset the election timer.
	n.elect.Reset(time.Second)

	if n.State() == Leader && state != Leader {
		n.updateLeadChange(false)
	} else if state == Leader && n.State() != Leader {
		if len(n.pae) > 0 {
			n.pae = make(map[uint64]string)
		}
		n.updateLeadChange(true)
	}

	n.state.Store(int32(state))
	_ = n.wal.WriteTermVote(n.term, n.vote)
}

// Lock should be held.
func (n *raft) updateLeadChange(isLeader bool) {
	select {
	case n.leadc <- isLeader:
	case <-n.leadc:
		// We had an old value not consumed.
		select {
		case n.leadc <- isLeader:
		default:
		}
	}
}

func (n *raft) switchToFollower(leader string) {
	if n.State() == Closed {
		return
	}

	n.Lock()
	defer n.Unlock()

	n.leader = leader
	n.switchState(Follower)
}

func (n *raft) switchToLeader() (sendHB bool) {
	if n.State() == Closed {
		return false
	}

	n.Lock()
	defer n.Unlock()

	// Check if we have items pending as we are taking over.
	sendHB = n.wal.LastSeq() > n.commit
	n.leader = n.id
	n.switchState(Leader)
	return sendHB
}

// processVoteRequest runs on the goroutine of the connection.
func (n *raft) processVoteRequest(term uint64, candidate string) bool {
	n.Lock()
	defer n.Unlock()
	if term <= n.term {
		return false
	}
	n.term, n.vote = term, candidate
	if n.State() != Follower {
		n.switchState(Follower)
	}
	return true
}

// run is the goroutine of the node.
func (n *raft) run(heartbeats <-chan string) {
	for {
		select {
		case <-n.quit:
			return
		case leader := <-heartbeats:
			n.switchToFollower(leader)
		case <-n.elect.C:
			n.switchToLeader()
		}
	}
}
