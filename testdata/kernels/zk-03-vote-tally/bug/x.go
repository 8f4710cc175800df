// Package bug is the election half of a consensus node.
package bug

import (
	"math/rand/v2"
	"sync"
	"time"
)

type role int

const (
	follower role = iota
	candidate
	leader
)

// VoteRequest asks a peer for its vote.
type VoteRequest struct {
	Term      uint64
	Candidate string
}

// VoteReply is the peer's answer.
type VoteReply struct {
	Term    uint64
	Granted bool
}

// Network sends requests to peers.
type Network interface {
	RequestVote(peer string, req VoteRequest) (VoteReply, error)
}

// Node takes part in elections.
type Node struct {
	id       string
	peers    []string
	net      Network
	timeout  time.Duration
	onLeader func(term uint64)

	mu       sync.Mutex
	term     uint64
	role     role
	votedFor string
	votes    int
	timer    *time.Timer
}

// NewNode returns a node; onLeader is called when it wins a term.
func NewNode(id string, peers []string, net Network, timeout time.Duration, onLeader func(uint64)) *Node {
	return &Node{id: id, peers: peers, net: net, timeout: timeout, onLeader: onLeader}
}

// Start arms the election timer.
func (n *Node) Start() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.timer = time.AfterFunc(n.jitter(), n.campaign)
}

func (n *Node) jitter() time.Duration {
	return n.timeout + time.Duration(rand.Int64N(int64(n.timeout)+1))
}

// rearm and stepDown are called with n.mu held.
func (n *Node) rearm() {
	if n.timer != nil {
		n.timer.Reset(n.jitter())
	}
}

func (n *Node) stepDown(term uint64) {
	if term > n.term {
		n.term = term
		n.votedFor = ""
	}
	n.role = follower
	n.rearm()
}

func (n *Node) campaign() {
	n.mu.Lock()
	if n.role == leader {
		n.mu.Unlock()
		return
	}
	n.term++
	n.role = candidate
	n.votedFor = n.id
	n.votes = 1
	req := VoteRequest{Term: n.term, Candidate: n.id}
	n.rearm()
	n.mu.Unlock()

	for _, p := range n.peers {
		go func() {
			reply, err := n.net.RequestVote(p, req)
			if err != nil {
				return
			}
			n.tally(req, reply)
		}()
	}
}

func (n *Node) tally(req VoteRequest, reply VoteReply) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if reply.Term > n.term {
		n.stepDown(reply.Term)
		return
	}
	if n.role != candidate || !reply.Granted {
		return
	}
	n.votes++
	if n.votes > (len(n.peers)+1)/2 {
		n.role = leader
		go n.onLeader(n.term)
	}
}

// HandleVote answers a candidate.
func (n *Node) HandleVote(req VoteRequest) VoteReply {
	n.mu.Lock()
	defer n.mu.Unlock()
	if req.Term > n.term {
		n.stepDown(req.Term)
	}
	if req.Term < n.term || (n.votedFor != "" && n.votedFor != req.Candidate) {
		return VoteReply{Term: n.term}
	}
	n.votedFor = req.Candidate
	n.rearm()
	return VoteReply{Term: n.term, Granted: true}
}

// HandleHeartbeat notes a sign of life from the leader of term.
func (n *Node) HandleHeartbeat(term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if term < n.term {
		return false
	}
	n.stepDown(term)
	return true
}
