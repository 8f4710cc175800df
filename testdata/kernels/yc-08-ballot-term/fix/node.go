// Package ballot elects the coordinator of a lock service. It implements the
// voting half of a term-based election: a node votes for at most one candidate
// in a term, so a term has at most one coordinator.
package ballot

import "sync"

// Role is the part a node plays in its term.
type Role int

// The roles of a node.
const (
	Follower Role = iota
	Candidate
	Coordinator
)

// Journal makes votes durable. Save returns when the vote would survive a crash.
type Journal interface {
	Save(term uint64, vote string) error
	Load() (term uint64, vote string, err error)
}

// VoteRequest asks a node for its vote.
type VoteRequest struct {
	Term      uint64
	Candidate string
}

// VoteReply answers a VoteRequest.
type VoteReply struct {
	Term    uint64
	Granted bool
}

// Heartbeat is sent by the coordinator of a term.
type Heartbeat struct {
	Term        uint64
	Coordinator string
}

// Status describes a node at one moment.
type Status struct {
	Term        uint64
	Role        Role
	Coordinator string
}

// Node takes part in elections. Its handlers are called by the transport, one
// goroutine for each peer.
type Node struct {
	id      string
	journal Journal

	mu          sync.Mutex
	term        uint64
	vote        string // candidate voted for in term, empty if none
	role        Role
	coordinator string
}

// NewNode restores a node from its journal.
func NewNode(id string, j Journal) (*Node, error) {
	term, vote, err := j.Load()
	if err != nil {
		return nil, err
	}
	return &Node{id: id, journal: j, term: term, vote: vote}, nil
}

// HandleVote decides on a vote request of a peer.
func (n *Node) HandleVote(req VoteRequest) (VoteReply, error) {
	n.observe(req.Term)
	n.mu.Lock()
	defer n.mu.Unlock()
	if req.Term < n.term {
		return VoteReply{Term: n.term}, nil
	}
	if n.vote != "" && n.vote != req.Candidate {
		return VoteReply{Term: n.term}, nil
	}
	if err := n.journal.Save(n.term, req.Candidate); err != nil {
		return VoteReply{Term: n.term}, err
	}
	n.vote = req.Candidate
	return VoteReply{Term: n.term, Granted: true}, nil
}

// HandleHeartbeat accepts the coordinator of the current term. It reports
// whether the sender may go on as coordinator.
func (n *Node) HandleHeartbeat(hb Heartbeat) bool {
	n.observe(hb.Term)
	n.mu.Lock()
	defer n.mu.Unlock()
	if hb.Term < n.term {
		return false
	}
	n.role = Follower
	n.coordinator = hb.Coordinator
	return true
}

// Campaign starts an election: the node enters the next term, votes for itself
// and returns the request to send to its peers.
func (n *Node) Campaign() (VoteRequest, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.journal.Save(n.term+1, n.id); err != nil {
		return VoteRequest{}, err
	}
	n.term++
	n.vote = n.id
	n.role = Candidate
	n.coordinator = ""
	return VoteRequest{Term: n.term, Candidate: n.id}, nil
}

// Won makes the node the coordinator of a term in which a majority voted for
// it. It reports false when the node has left that term.
func (n *Node) Won(term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.term != term || n.role != Candidate {
		return false
	}
	n.role = Coordinator
	n.coordinator = n.id
	return true
}

// Status returns the node's view of the election.
func (n *Node) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return Status{Term: n.term, Role: n.role, Coordinator: n.coordinator}
}

// observe makes the node a follower without a vote in a term it has heard of,
// if that term is newer.
func (n *Node) observe(term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if term <= n.term {
		return
	}
	n.term = term
	n.vote = ""
	n.role = Follower
	n.coordinator = ""
}
