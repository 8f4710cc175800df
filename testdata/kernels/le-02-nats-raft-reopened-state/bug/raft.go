package server

import (
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// RaftState is the state of the node in its group.
type RaftState uint8

// Allowable states for a NATS Consensus Group.
const (
	Follower RaftState = iota
	Leader
	Candidate
	Closed
)

const (
	noLeader           = ""
	peerStateFile      = "peers.idx"
	termVoteFile       = "tav.idx"
	minElectionTimeout = 4 * time.Second
	maxElectionTimeout = 9 * time.Second
)

// WAL is the log of the group.
type WAL interface {
	Stop() error
	Delete() error
}

type raft struct {
	sync.RWMutex
	group  string
	sd     string // store directory
	id     string
	wal    WAL
	state  atomic.Int32 // RaftState
	csz    int
	qn     int
	pae    map[uint64][]byte
	elect  *time.Timer
	term   uint64 // The current vote term
	leader string // The ID of the leader
	s      *Server

	observer bool
	lxfer    bool

	// Queues and Channels
	entry    chan []byte
	votes    chan bool
	stepdown chan string
	leadc    chan bool
	quit     chan struct{}
}

// Server holds the groups of this server.
type Server struct {
	mu        sync.RWMutex
	running   atomic.Bool
	raftNodes map[string]*raft
	quitCh    chan struct{}
	grWG      sync.WaitGroup
}

func (s *Server) startRaftNode(group, sd, id string, csz int, wal WAL) *raft {
	n := &raft{
		group:    group,
		sd:       sd,
		id:       id,
		wal:      wal,
		csz:      csz,
		qn:       csz/2 + 1,
		pae:      make(map[uint64][]byte),
		s:        s,
		entry:    make(chan []byte, 32),
		votes:    make(chan bool, 8),
		stepdown: make(chan string, 1),
		leadc:    make(chan bool, 1),
		elect:    time.NewTimer(maxElectionTimeout),
		quit:     make(chan struct{}),
	}
	n.resetElectionTimeout()
	s.mu.Lock()
	s.raftNodes[group] = n
	s.mu.Unlock()
	s.grWG.Add(1)
	go n.run()
	return n
}

func (s *Server) unregisterRaftNode(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.raftNodes, group)
}

// shutdownRaftNodes is called from Shutdown.
func (s *Server) shutdownRaftNodes() {
	s.mu.RLock()
	nodes := make([]*raft, 0, len(s.raftNodes))
	for _, n := range s.raftNodes {
		nodes = append(nodes, n)
	}
	s.mu.RUnlock()
	for _, n := range nodes {
		n.Stop()
	}
}

// State returns the current state of the node.
func (n *raft) State() RaftState {
	return RaftState(n.state.Load())
}

// Stop the node. Called by the upper layers when the asset goes away.
func (n *raft) Stop() {
	n.shutdown(false)
}

// Delete the node and what it has stored.
func (n *raft) Delete() {
	n.shutdown(true)
}

func (n *raft) shutdown(shouldDelete bool) {
	// Needs to be a Swap operation in order to prevent races if
	// more than one caller hits shutdown() at once, the returned
	// value will be the previous state.
	if n.state.Swap(int32(Closed)) == int32(Closed) {
		return
	}

	n.Lock()

	close(n.quit)
	s, g, wal := n.s, n.group, n.wal

	// Delete our peer state and vote state.
	if shouldDelete {
		os.Remove(filepath.Join(n.sd, peerStateFile))
		os.Remove(filepath.Join(n.sd, termVoteFile))
	}
	n.Unlock()

	s.unregisterRaftNode(g)
	if wal != nil {
		if shouldDelete {
			wal.Delete()
		} else {
			wal.Stop()
		}
	}
}

// Lock should be held.
func (n *raft) resetElectionTimeout() {
	delta := rand.Int63n(int64(maxElectionTimeout - minElectionTimeout))
	et := minElectionTimeout + time.Duration(delta)
	if !n.elect.Stop() {
		select {
		case <-n.elect.C:
		default:
		}
	}
	n.elect.Reset(et)
}

func (n *raft) run() {
	s := n.s
	defer s.grWG.Done()

	for s.running.Load() {
		switch n.State() {
		case Follower:
			n.runAsFollower()
		case Candidate:
			n.runAsCandidate()
		case Leader:
			n.runAsLeader()
		case Closed:
			return
		}
	}
}

func (n *raft) runAsFollower() {
	for n.State() == Follower {
		select {
		case e := <-n.entry:
			n.processAppendEntry(e)
		case <-n.s.quitCh:
			n.shutdown(false)
			return
		case <-n.quit:
			return
		case <-n.elect.C:
			n.switchToCandidate()
			return
		case newLeader := <-n.stepdown:
			n.switchToFollower(newLeader)
			return
		}
	}
}

func (n *raft) runAsCandidate() {
	// We vote for ourselves.
	votes := 1
	for n.State() == Candidate {
		select {
		case <-n.s.quitCh:
			n.shutdown(false)
			return
		case <-n.quit:
			return
		case <-n.elect.C:
			n.switchToCandidate()
			return
		case granted := <-n.votes:
			if granted {
				votes++
			}
			if votes >= n.qn {
				n.switchToLeader()
				return
			}
		}
	}
}

func (n *raft) runAsLeader() {
	for n.State() == Leader {
		select {
		case <-n.s.quitCh:
			n.shutdown(false)
			return
		case <-n.quit:
			return
		case newLeader := <-n.stepdown:
			n.switchToFollower(newLeader)
			return
		}
	}
}

func (n *raft) processAppendEntry(e []byte) {
	n.Lock()
	n.pae[uint64(len(n.pae)+1)] = e
	n.resetElectionTimeout()
	n.Unlock()
}

func (n *raft) updateLeadChange(isLeader bool) {
	// We don't care about values that have not been consumed (transitory states),
	// so we dequeue any state that is pending and push the new one.
	for {
		select {
		case n.leadc <- isLeader:
			return
		default:
			select {
			case <-n.leadc:
			default:
				// May have been consumed by the "reader" go routine, so go back
				// to the top of the loop and try to send again.
			}
		}
	}
}

// Lock should be held.
func (n *raft) writeTermVote() {
	buf := strconv.AppendUint(nil, n.term, 10)
	os.WriteFile(filepath.Join(n.sd, termVoteFile), buf, 0o640)
}

// Lock should be held.
func (n *raft) switchState(state RaftState) {
	if n.State() == Closed {
		return
	}

	// Reset the election timer.
	n.resetElectionTimeout()

	if n.State() == Leader && state != Leader {
		n.updateLeadChange(false)
	} else if state == Leader && n.State() != Leader {
		if len(n.pae) > 0 {
			n.pae = make(map[uint64][]byte)
		}
		n.updateLeadChange(true)
	}

	n.state.Store(int32(state))
	n.writeTermVote()
}

func (n *raft) switchToFollower(leader string) {
	if n.State() == Closed {
		return
	}

	n.Lock()
	defer n.Unlock()

	n.lxfer = false
	n.leader = leader
	n.switchState(Follower)
}

func (n *raft) switchToCandidate() {
	if n.State() == Closed {
		return
	}

	n.Lock()
	defer n.Unlock()

	// If we are in observer mode we can not switch.
	if n.observer {
		return
	}
	n.term++
	n.leader = noLeader
	n.switchState(Candidate)
}

func (n *raft) switchToLeader() {
	if n.State() == Closed {
		return
	}

	n.Lock()
	defer n.Unlock()

	n.lxfer = false
	n.leader = n.id
	n.switchState(Leader)
}
