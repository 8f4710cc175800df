// Package election elects one leader among a fixed set of nodes. It carries
// no log: the leader is used as a lease holder by the services above it.
package election

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Role is what a node currently is.
type Role int

// Roles.
const (
	Follower Role = iota
	Candidate
	Leader
)

// VoteRequest asks a peer for its vote.
type VoteRequest struct {
	Term      uint64
	Candidate string
}

// VoteResponse is the answer to a VoteRequest.
type VoteResponse struct {
	Term    uint64
	Granted bool
}

// Heartbeat is sent by a leader to keep its followers from campaigning.
type Heartbeat struct {
	Term   uint64
	Leader string
}

// Transport reaches the peers. Its methods may block for long.
type Transport interface {
	RequestVote(ctx context.Context, peer string, req VoteRequest) (VoteResponse, error)
	SendHeartbeat(ctx context.Context, peer string, hb Heartbeat) (term uint64, err error)
}

// Node is one member. The handlers are called by the RPC server from many
// goroutines.
type Node struct {
	id      string
	peers   []string // without id
	net     Transport
	timeout time.Duration

	mu        sync.Mutex
	term      uint64
	role      Role
	votedFor  string
	votes     int
	leader    string
	lastHeard time.Time
}

// NewNode returns a follower.
func NewNode(id string, peers []string, net Transport, timeout time.Duration) *Node {
	return &Node{id: id, peers: peers, net: net, timeout: timeout, lastHeard: time.Now()}
}

// Run drives elections until ctx ends.
func (n *Node) Run(ctx context.Context) {
	for {
		jitter := time.Duration(rand.Int64N(int64(n.timeout)))
		select {
		case <-ctx.Done():
			return
		case <-time.After(n.timeout/2 + jitter):
			n.campaign(ctx)
		}
	}
}

// Leader returns the node that is known to lead, and its term.
func (n *Node) Leader() (string, uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.leader, n.term
}

func (n *Node) quorum() int { return (len(n.peers)+1)/2 + 1 }

// follow enters a newer term. The caller holds n.mu.
func (n *Node) follow(term uint64) {
	n.term = term
	n.role = Follower
	n.votedFor = ""
	n.leader = ""
}

// lead makes n the leader of its term. The caller holds n.mu.
func (n *Node) lead(ctx context.Context) {
	n.role = Leader
	n.leader = n.id
	go n.heartbeats(ctx, n.term)
}

// campaign stands for election if no leader has been heard of in time.
func (n *Node) campaign(ctx context.Context) {
	n.mu.Lock()
	if n.role == Leader || time.Since(n.lastHeard) < n.timeout {
		n.mu.Unlock()
		return
	}
	n.term++
	n.role = Candidate
	n.votedFor = n.id
	n.leader = ""
	n.votes = 1
	n.lastHeard = time.Now()
	if n.votes >= n.quorum() {
		n.lead(ctx)
	}
	req := VoteRequest{Term: n.term, Candidate: n.id}
	n.mu.Unlock()

	for _, peer := range n.peers {
		go func() {
			resp, err := n.net.RequestVote(ctx, peer, req)
			if err != nil {
				return
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			if resp.Term > n.term {
				n.follow(resp.Term)
				return
			}
			if n.role != Candidate || n.term != req.Term || !resp.Granted {
				return
			}
			n.votes++
			if n.votes >= n.quorum() {
				n.lead(ctx)
			}
		}()
	}
}

// HandleVote answers a candidate. A node votes once per term.
func (n *Node) HandleVote(req VoteRequest) VoteResponse {
	n.mu.Lock()
	defer n.mu.Unlock()
	if req.Term > n.term {
		n.follow(req.Term)
	}
	granted := req.Term == n.term && (n.votedFor == "" || n.votedFor == req.Candidate)
	if granted {
		n.votedFor = req.Candidate
		n.lastHeard = time.Now()
	}
	return VoteResponse{Term: n.term, Granted: granted}
}

// HandleHeartbeat accepts the leader of the current or a newer term.
func (n *Node) HandleHeartbeat(hb Heartbeat) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if hb.Term > n.term {
		n.follow(hb.Term)
	}
	if hb.Term == n.term {
		if n.role == Candidate {
			n.role = Follower
		}
		n.leader = hb.Leader
		n.lastHeard = time.Now()
	}
	return n.term
}

// leading reports whether n is still the leader of term.
func (n *Node) leading(term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.role == Leader && n.term == term
}

func (n *Node) heartbeats(ctx context.Context, term uint64) {
	t := time.NewTicker(n.timeout / 4)
	defer t.Stop()
	for n.leading(term) {
		for _, peer := range n.peers {
			go func() {
				seen, err := n.net.SendHeartbeat(ctx, peer, Heartbeat{Term: term, Leader: n.id})
				if err != nil {
					return
				}
				n.mu.Lock()
				defer n.mu.Unlock()
				if seen > n.term {
					n.follow(seen)
				}
			}()
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
