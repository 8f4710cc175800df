// Package consensus implements the voting side of a replicated log.
package consensus

import (
	"context"
	"fmt"
	"sync"
)

// Role of a node in the present term.
type Role int

const (
	Follower Role = iota
	Candidate
	Leader
)

// VoteRequest asks for a vote in a term.
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

// HardStore keeps what must survive a restart.
type HardStore interface {
	SaveVote(term uint64, candidate string) error
}

// Node is one voter.
type Node struct {
	id    string
	store HardStore

	mu        sync.Mutex
	role      Role
	term      uint64
	votedFor  string
	lastIndex uint64
	lastTerm  uint64
}

// NewNode returns a follower with the state read from disk.
func NewNode(id string, store HardStore, term uint64, votedFor string) *Node {
	return &Node{id: id, store: store, term: term, votedFor: votedFor}
}

// upToDate reports whether the candidate's log is at least as new as ours. n.mu is held.
func (n *Node) upToDate(req VoteRequest) bool {
	if req.LastTerm != n.lastTerm {
		return req.LastTerm > n.lastTerm
	}
	return req.LastIndex >= n.lastIndex
}

// stepDown moves to a newer term. n.mu is held.
func (n *Node) stepDown(term uint64) error {
	if err := n.store.SaveVote(term, ""); err != nil {
		return fmt.Errorf("save term %d: %w", term, err)
	}
	n.term = term
	n.votedFor = ""
	n.role = Follower
	return nil
}

// HandleVote answers a candidate.
func (n *Node) HandleVote(req VoteRequest) (VoteReply, error) {
	n.mu.Lock()
	if req.Term > n.term {
		if err := n.stepDown(req.Term); err != nil {
			n.mu.Unlock()
			return VoteReply{}, err
		}
	}
	grant := req.Term == n.term && n.upToDate(req) &&
		(n.votedFor == "" || n.votedFor == req.Candidate)
	reply := VoteReply{Term: n.term, Granted: grant}
	n.mu.Unlock()

	if !grant {
		return reply, nil
	}
	if err := n.store.SaveVote(reply.Term, req.Candidate); err != nil {
		return VoteReply{}, fmt.Errorf("save vote: %w", err)
	}
	n.mu.Lock()
	n.votedFor = req.Candidate
	n.mu.Unlock()
	return reply, nil
}

// Observe notes a log entry that was appended.
func (n *Node) Observe(index, term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastIndex, n.lastTerm = index, term
}

// Status returns role and term for the admin page.
func (n *Node) Status() (Role, uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.role, n.term
}

// Call is a vote request from the transport with a place for the answer.
type Call struct {
	Req   VoteRequest
	Reply func(VoteReply, error)
}

// Serve answers the calls of all peers, each on its own goroutine.
func (n *Node) Serve(ctx context.Context, calls <-chan Call) {
	for {
		select {
		case <-ctx.Done():
			return
		case c, ok := <-calls:
			if !ok {
				return
			}
			go func() {
				c.Reply(n.HandleVote(c.Req))
			}()
		}
	}
}
