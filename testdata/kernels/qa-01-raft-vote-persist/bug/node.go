// Package consensus implements the election half of the replicated log used
// by the placement driver.
package consensus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Role is the part a node plays in the current term.
type Role int

const (
	Follower Role = iota
	Candidate
	Leader
)

// HardState is what must survive a restart.
type HardState struct {
	Term     uint64
	VotedFor string
}

// StableStore persists the hard state; Save returns after fsync.
type StableStore interface {
	Save(HardState) error
}

// VoteRequest is sent by a candidate to all its peers.
type VoteRequest struct {
	Term      uint64
	Candidate string
	LastIndex uint64
	LastTerm  uint64
}

// VoteResponse is the answer to a VoteRequest.
type VoteResponse struct {
	Term    uint64
	Granted bool
}

// Peers sends requests to the other members.
type Peers interface {
	IDs() []string
	RequestVote(ctx context.Context, id string, req VoteRequest) (VoteResponse, error)
}

// ErrNoCandidate is returned for a request that names nobody.
var ErrNoCandidate = errors.New("consensus: vote request without candidate")

// Node is a member of the group.
type Node struct {
	sync.Mutex
	id       string
	role     Role
	term     uint64
	votedFor string
	heard    time.Time

	lastIndex, lastTerm uint64

	store StableStore
	peers Peers
	log   *slog.Logger
}

// NewNode restores a member from its hard state.
func NewNode(id string, hs HardState, store StableStore, peers Peers, log *slog.Logger) *Node {
	return &Node{id: id, term: hs.Term, votedFor: hs.VotedFor, store: store, peers: peers, log: log}
}

// HandleVote answers a candidate. The RPC server calls it on the goroutine of
// the connection.
func (n *Node) HandleVote(req VoteRequest) (VoteResponse, error) {
	if req.Candidate == "" {
		return VoteResponse{}, ErrNoCandidate
	}
	n.Lock()
	if req.Term > n.term {
		if err := n.advance(req.Term, ""); err != nil {
			n.Unlock()
			return VoteResponse{}, err
		}
	}
	term, ok := n.term, n.electable(req)
	n.Unlock()
	if !ok {
		return VoteResponse{Term: term}, nil
	}

	if err := n.store.Save(HardState{Term: term, VotedFor: req.Candidate}); err != nil {
		return VoteResponse{}, fmt.Errorf("persist vote: %w", err)
	}

	n.Lock()
	defer n.Unlock()
	n.votedFor = req.Candidate
	n.heard = time.Now()
	n.log.Info("vote granted", "term", term, "candidate", req.Candidate)
	return VoteResponse{Term: term, Granted: true}, nil
}

// electable tells whether the candidate may get the vote of this node.
func (n *Node) electable(req VoteRequest) bool {
	if req.Term < n.term {
		return false
	}
	if n.votedFor != "" && n.votedFor != req.Candidate {
		return false
	}
	if req.LastTerm != n.lastTerm {
		return req.LastTerm > n.lastTerm
	}
	return req.LastIndex >= n.lastIndex
}

// advance moves to a newer term; n is locked.
func (n *Node) advance(term uint64, vote string) error {
	if err := n.store.Save(HardState{Term: term, VotedFor: vote}); err != nil {
		return fmt.Errorf("persist term %d: %w", term, err)
	}
	n.term, n.votedFor, n.role = term, vote, Follower
	return nil
}

// Run starts elections when no leader is heard of.
func (n *Node) Run(ctx context.Context, timeout time.Duration) {
	for {
		wait := timeout + rand.N(timeout)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		n.Lock()
		idle := n.role != Leader && time.Since(n.heard) >= wait
		var req VoteRequest
		if idle {
			if err := n.advance(n.term+1, n.id); err != nil {
				n.log.Error("campaign", "err", err)
				idle = false
			} else {
				n.role = Candidate
				req = VoteRequest{Term: n.term, Candidate: n.id, LastIndex: n.lastIndex, LastTerm: n.lastTerm}
			}
		}
		n.Unlock()
		if idle {
			n.campaign(ctx, req)
		}
	}
}

func (n *Node) campaign(ctx context.Context, req VoteRequest) {
	ids := n.peers.IDs()
	granted := make(chan bool, len(ids))
	for _, id := range ids {
		go func() {
			resp, err := n.peers.RequestVote(ctx, id, req)
			granted <- err == nil && resp.Granted && resp.Term == req.Term
		}()
	}
	votes := 1
	for range ids {
		if <-granted {
			votes++
		}
	}
	n.Lock()
	defer n.Unlock()
	if n.role == Candidate && n.term == req.Term && votes > (len(ids)+1)/2 {
		n.role = Leader
	}
}
