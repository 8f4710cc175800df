// Package election implements the leader election of a replicated log. The
// RPC server calls the handlers of a node from its connection goroutines.
package election

import (
	"context"
	"sync"
	"time"
)

// Role is what a node does in its term.
type Role int

// Roles of a node.
const (
	Follower Role = iota
	Candidate
	Leader
)

// HardState is what a node has to remember over a restart.
type HardState struct {
	Term     uint64
	VotedFor string
}

// Storage makes the hard state durable before it returns.
type Storage interface {
	Save(HardState)
}

// VoteRequest asks for a vote.
type VoteRequest struct {
	Term      uint64
	Candidate string
	LastIndex uint64
	LastTerm  uint64
}

// VoteReply answers a VoteRequest.
type VoteReply struct {
	Term    uint64
	Granted bool
}

// Heartbeat is what a leader sends to its followers.
type Heartbeat struct {
	Term   uint64
	Leader string
}

// Peer is another node of the cluster.
type Peer interface {
	Name() string
	RequestVote(ctx context.Context, req VoteRequest) (VoteReply, error)
}

// Node is one member of the cluster. Its methods are safe for concurrent use.
type Node struct {
	id      string
	peers   []Peer
	storage Storage

	mu          sync.Mutex
	hard        HardState
	role        Role
	leader      string
	votes       map[string]bool
	lastContact time.Time
	lastIndex   uint64
	lastTerm    uint64
}

// NewNode returns a follower with the state of its last run.
func NewNode(id string, peers []Peer, st Storage, hard HardState) *Node {
	return &Node{id: id, peers: peers, storage: st, hard: hard, lastContact: time.Now()}
}

// Status returns the term, the role and the leader of the term, if known.
func (n *Node) Status() (term uint64, role Role, leader string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hard.Term, n.role, n.leader
}

// Appended records the end of the local log. The log writer calls it, in the
// order of its writes.
func (n *Node) Appended(index, term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastIndex, n.lastTerm = index, term
}

// observeTerm is called with the term of every message. A higher term makes
// the node a follower without a vote in that term.
func (n *Node) observeTerm(term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if term <= n.hard.Term {
		return
	}
	n.role = Follower
	n.leader = ""
	n.votes = nil
	n.hard = HardState{Term: term}
	n.storage.Save(n.hard)
}

// HandleVote answers a candidate.
func (n *Node) HandleVote(req VoteRequest) VoteReply {
	n.observeTerm(req.Term)

	n.mu.Lock()
	defer n.mu.Unlock()
	reply := VoteReply{Term: n.hard.Term}
	if req.Term < n.hard.Term {
		return reply
	}
	if n.hard.VotedFor != "" && n.hard.VotedFor != req.Candidate {
		return reply
	}
	if req.LastTerm < n.lastTerm || req.LastTerm == n.lastTerm && req.LastIndex < n.lastIndex {
		return reply
	}
	n.hard.VotedFor = req.Candidate
	n.storage.Save(n.hard)
	n.lastContact = time.Now()
	reply.Granted = true
	return reply
}

// HandleHeartbeat follows a leader and returns the term of the node.
func (n *Node) HandleHeartbeat(hb Heartbeat) uint64 {
	n.observeTerm(hb.Term)

	n.mu.Lock()
	defer n.mu.Unlock()
	if hb.Term == n.hard.Term {
		n.role = Follower
		n.leader = hb.Leader
		n.lastContact = time.Now()
	}
	return n.hard.Term
}

// Campaign starts an election when there was no contact to a leader for the
// given time. It returns when the peers have been asked.
func (n *Node) Campaign(ctx context.Context, silence time.Duration) {
	n.mu.Lock()
	if n.role == Leader || time.Since(n.lastContact) < silence {
		n.mu.Unlock()
		return
	}
	n.hard = HardState{Term: n.hard.Term + 1, VotedFor: n.id}
	n.storage.Save(n.hard)
	n.role = Candidate
	n.leader = ""
	n.votes = map[string]bool{n.id: true}
	req := VoteRequest{Term: n.hard.Term, Candidate: n.id, LastIndex: n.lastIndex, LastTerm: n.lastTerm}
	n.mu.Unlock()
	n.countVote(req.Term, n.id)

	var wg sync.WaitGroup
	for _, p := range n.peers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			reply, err := p.RequestVote(ctx, req)
			if err != nil {
				return
			}
			n.observeTerm(reply.Term)
			if reply.Granted {
				n.countVote(req.Term, p.Name())
			}
		}()
	}
	wg.Wait()
}

// countVote adds a vote won in a term.
func (n *Node) countVote(term uint64, from string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.role != Candidate || n.hard.Term != term {
		return
	}
	n.votes[from] = true
	if len(n.votes) > (len(n.peers)+1)/2 {
		n.role = Leader
		n.leader = n.id
	}
}
