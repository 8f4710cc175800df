package bug

import (
	"sync"
	"time"
)

type Role int

const (
	Follower Role = iota
	Candidate
	Leader
)

type HardState struct {
	Term uint64
	Vote string
}

// Stable keeps the hard state over restarts. Save returns once it is on disk.
type Stable interface {
	Save(HardState) error
}

type VoteRequest struct {
	Term      uint64
	Candidate string
	LastIndex uint64
	LastTerm  uint64
}

type VoteReply struct {
	Term    uint64
	Granted bool
}

// Node is the election side of a consensus member. Each peer connection has
// its own goroutine that calls the Handle methods.
type Node struct {
	id     string
	stable Stable

	mu        sync.Mutex
	hard      HardState
	role      Role
	leader    string
	heard     time.Time
	lastIndex uint64
	lastTerm  uint64
}

func NewNode(id string, hs HardState, st Stable) *Node {
	return &Node{id: id, hard: hs, stable: st, heard: time.Now()}
}

// follow moves to a newer term. The caller holds n.mu.
func (n *Node) follow(term uint64) error {
	next := HardState{Term: term}
	if err := n.stable.Save(next); err != nil {
		return err
	}
	n.hard = next
	n.role = Follower
	n.leader = ""
	return nil
}

// consider says whether a request may have this node's vote.
func (n *Node) consider(req VoteRequest) (VoteReply, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if req.Term > n.hard.Term {
		if err := n.follow(req.Term); err != nil {
			return VoteReply{Term: n.hard.Term}, false, err
		}
	}
	reply := VoteReply{Term: n.hard.Term}
	if req.Term < n.hard.Term {
		return reply, false, nil
	}
	if n.hard.Vote != "" && n.hard.Vote != req.Candidate {
		return reply, false, nil
	}
	if req.LastTerm != n.lastTerm {
		return reply, req.LastTerm > n.lastTerm, nil
	}
	return reply, req.LastIndex >= n.lastIndex, nil
}

// HandleVote answers a candidate.
func (n *Node) HandleVote(req VoteRequest) (VoteReply, error) {
	reply, ok, err := n.consider(req)
	if err != nil || !ok {
		return reply, err
	}
	next := HardState{Term: req.Term, Vote: req.Candidate}
	if err := n.stable.Save(next); err != nil {
		return reply, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hard = next
	n.heard = time.Now()
	reply.Granted = true
	return reply, nil
}

// HandleHeartbeat takes note of a leader.
func (n *Node) HandleHeartbeat(term uint64, leader string) (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if term < n.hard.Term {
		return n.hard.Term, nil
	}
	if term > n.hard.Term {
		if err := n.follow(term); err != nil {
			return n.hard.Term, err
		}
	}
	n.role = Follower
	n.leader = leader
	n.heard = time.Now()
	return n.hard.Term, nil
}

// Campaign starts an election if no leader was heard for the timeout.
func (n *Node) Campaign(timeout time.Duration) (VoteRequest, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.role == Leader || time.Since(n.heard) < timeout {
		return VoteRequest{}, false, nil
	}
	next := HardState{Term: n.hard.Term + 1, Vote: n.id}
	if err := n.stable.Save(next); err != nil {
		return VoteRequest{}, false, err
	}
	n.hard = next
	n.role = Candidate
	n.leader = ""
	n.heard = time.Now()
	return VoteRequest{Term: next.Term, Candidate: n.id, LastIndex: n.lastIndex, LastTerm: n.lastTerm}, true, nil
}

// Appended takes note of the end of the log.
func (n *Node) Appended(index, term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastIndex, n.lastTerm = index, term
}

// Won makes the node leader if the election is still the current one.
func (n *Node) Won(term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.role != Candidate || n.hard.Term != term {
		return false
	}
	n.role = Leader
	n.leader = n.id
	return true
}
