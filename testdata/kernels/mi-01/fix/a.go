// Package a holds the proposal path of a replicated log.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

// Role is the part a node plays in its current term.
type Role int

const (
	Follower Role = iota
	Candidate
	Leader
)

var (
	ErrNotLeader = errors.New("raft: not the leader")
	ErrDeposed   = errors.New("raft: leadership lost")
	ErrTooLarge  = errors.New("raft: proposal too large")
)

const maxProposal = 1 << 20

// Entry is one slot of the log. Only the leader of a term creates entries
// that carry this term.
type Entry struct {
	Index, Term uint64
	Data        []byte
}

// Codec turns a command into the bytes that are replicated.
type Codec interface {
	Encode(cmd any) ([]byte, error)
}

// Node is one member of the group.
type Node struct {
	id    string
	codec Codec
	kick  chan struct{} // wakes the replicators

	mu      sync.RWMutex
	role    Role
	term    uint64
	leader  string
	entries []Entry // entries[i].Index == i+1
	commit  uint64
	waiters map[uint64]chan error

	proposed atomic.Uint64
	rejected atomic.Uint64
}

// NewNode returns a follower with an empty log.
func NewNode(id string, codec Codec) *Node {
	return &Node{
		id:      id,
		codec:   codec,
		kick:    make(chan struct{}, 1),
		waiters: make(map[uint64]chan error),
	}
}

// Propose replicates cmd and returns when it is committed.
func (n *Node) Propose(ctx context.Context, cmd any) error {
	n.mu.RLock()
	if n.role != Leader {
		hint := n.leader
		n.mu.RUnlock()
		n.rejected.Add(1)
		log.Printf("raft %s: proposal refused, leader is %q", n.id, hint)
		return ErrNotLeader
	}
	n.mu.RUnlock()

	// Commands can be large: they are encoded without the lock.
	data, err := n.codec.Encode(cmd)
	if err != nil {
		return err
	}
	if len(data) > maxProposal {
		n.rejected.Add(1)
		return ErrTooLarge
	}

	done := make(chan error, 1)
	n.mu.Lock()
	if n.role != Leader {
		n.mu.Unlock()
		n.rejected.Add(1)
		return ErrNotLeader
	}
	idx := uint64(len(n.entries)) + 1
	n.entries = append(n.entries, Entry{Index: idx, Term: n.term, Data: data})
	n.waiters[idx] = done
	n.mu.Unlock()
	n.proposed.Add(1)

	select {
	case n.kick <- struct{}{}:
	default:
	}

	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		n.mu.Lock()
		if n.waiters[idx] == done {
			delete(n.waiters, idx)
		}
		n.mu.Unlock()
		return ctx.Err()
	}
}

// BecomeLeader is called when the election for term is won.
func (n *Node) BecomeLeader(term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.term != term || n.role != Candidate {
		return false
	}
	n.role, n.leader = Leader, n.id
	return true
}

// Campaign opens a new term with this node as a candidate.
func (n *Node) Campaign() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.role == Leader {
		return n.term
	}
	n.role, n.leader = Candidate, ""
	n.term++
	return n.term
}

// BecomeFollower is called when a message of a newer term arrives.
func (n *Node) BecomeFollower(term uint64, leader string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if term < n.term {
		return
	}
	n.role, n.term, n.leader = Follower, term, leader
	for idx, w := range n.waiters {
		w <- ErrDeposed
		delete(n.waiters, idx)
	}
}

// Commit moves the commit index forward and releases the proposers.
func (n *Node) Commit(index uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last := uint64(len(n.entries)); index > last {
		index = last
	}
	for n.commit < index {
		n.commit++
		if w, ok := n.waiters[n.commit]; ok {
			w <- nil
			delete(n.waiters, n.commit)
		}
	}
}

// Kicked is read by the replicators.
func (n *Node) Kicked() <-chan struct{} { return n.kick }

// Status is a consistent view for the debug page.
func (n *Node) Status() (role Role, term, last, commit uint64) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.role, n.term, uint64(len(n.entries)), n.commit
}
