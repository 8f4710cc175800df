// Package raftlog holds the replicated log of one node and the rules by which
// leaders append to it and followers accept it.
package raftlog

import (
	"context"
	"errors"
	"fmt"
)

// Role is a node's part in the current term.
type Role int

// The roles.
const (
	Follower Role = iota
	Candidate
	Leader
)

var (
	// ErrNotLeader tells a client to try another node.
	ErrNotLeader = errors.New("raftlog: not the leader")
	// ErrStaleTerm is returned to a peer whose term is over.
	ErrStaleTerm = errors.New("raftlog: stale term")
	// ErrGap is returned when a batch does not connect to the log.
	ErrGap = errors.New("raftlog: log does not match")
	// ErrTooLarge is returned for a command that does not fit into an entry.
	ErrTooLarge = errors.New("raftlog: entry too large")
)

// maxEntry is the largest record that replication can carry.
const maxEntry = 1 << 20

// Entry is one record of the log.
type Entry struct {
	Term uint64
	Data []byte
}

// Batch is what a leader sends to a follower: the entries after Prev, whose term
// is PrevTerm, and how far the log is committed. Indexes count from 1.
type Batch struct {
	Term     uint64
	Prev     int
	PrevTerm uint64
	Entries  []Entry
	Commit   int
}

// Sealer compresses and encrypts commands before they enter the log.
type Sealer interface {
	Seal(ctx context.Context, cmd []byte) ([]byte, error)
}

// Node is the state of one node. RPC handlers, client handlers and the
// replication loops use it concurrently.
type Node struct {
	sealer Sealer
	notify chan struct{} // tells the replication loops about new entries

	sem    chan struct{} // holds a token while the fields below are in use
	role   Role
	term   uint64
	voted  bool
	log    []Entry
	commit int
}

// NewNode returns a follower in term 0 with an empty log.
func NewNode(s Sealer) *Node {
	return &Node{sealer: s, notify: make(chan struct{}, 1), sem: make(chan struct{}, 1)}
}

func (n *Node) enter() { n.sem <- struct{}{} }
func (n *Node) leave() { <-n.sem }

// enterTerm makes the node a follower in a newer term. Caller is inside enter.
func (n *Node) enterTerm(term uint64) {
	n.term, n.role, n.voted = term, Follower, false
}

// Campaign starts an election and returns the term the node is a candidate for.
func (n *Node) Campaign() uint64 {
	n.enter()
	defer n.leave()
	n.term++
	n.role, n.voted = Candidate, true
	return n.term
}

// Elected makes the node the leader if it still stands in that term.
func (n *Node) Elected(term uint64) bool {
	n.enter()
	defer n.leave()
	if n.role != Candidate || n.term != term {
		return false
	}
	n.role = Leader
	return true
}

// Vote answers a candidate whose log ends with the given index and term.
func (n *Node) Vote(term uint64, last int, lastTerm uint64) bool {
	n.enter()
	defer n.leave()
	if term > n.term {
		n.enterTerm(term)
	}
	if term < n.term || n.voted {
		return false
	}
	mine := len(n.log)
	myTerm := n.termAt(mine)
	if lastTerm < myTerm || lastTerm == myTerm && last < mine {
		return false
	}
	n.voted = true
	return true
}

// termAt returns the term of an entry, 0 before the first. Caller is inside enter.
func (n *Node) termAt(i int) uint64 {
	if i == 0 {
		return 0
	}
	return n.log[i-1].Term
}

// leading returns the term in which the node is the leader.
func (n *Node) leading() (uint64, error) {
	n.enter()
	defer n.leave()
	if n.role != Leader {
		return 0, ErrNotLeader
	}
	return n.term, nil
}

// push appends an entry and returns its index, if the node still leads the term.
func (n *Node) push(term uint64, data []byte) (int, error) {
	n.enter()
	defer n.leave()
	if n.role != Leader || n.term != term {
		return 0, ErrNotLeader
	}
	if len(data) > maxEntry {
		return 0, ErrTooLarge
	}
	n.log = append(n.log, Entry{Term: term, Data: data})
	return len(n.log), nil
}

// Propose appends a client's command to the log. The command is durable once
// Commit has reached the returned index in the returned term.
func (n *Node) Propose(ctx context.Context, cmd []byte) (index int, term uint64, err error) {
	term, err = n.leading()
	if err != nil {
		return 0, 0, err
	}
	data, err := n.sealer.Seal(ctx, cmd)
	if err != nil {
		return 0, 0, fmt.Errorf("raftlog: seal: %w", err)
	}
	index, err = n.push(term, data)
	if err != nil {
		return 0, 0, err
	}
	select {
	case n.notify <- struct{}{}:
	default:
	}
	return index, term, nil
}

// Accept applies a batch from the leader of its term.
func (n *Node) Accept(b Batch) error {
	n.enter()
	defer n.leave()
	if b.Term < n.term {
		return ErrStaleTerm
	}
	if b.Term > n.term {
		n.enterTerm(b.Term)
	}
	n.role = Follower
	if b.Prev > len(n.log) || n.termAt(b.Prev) != b.PrevTerm {
		return ErrGap
	}
	for i, e := range b.Entries {
		at := b.Prev + i + 1
		if at <= len(n.log) {
			if n.termAt(at) == e.Term {
				continue
			}
			n.log = n.log[:at-1]
		}
		n.log = append(n.log, e)
	}
	if last := b.Prev + len(b.Entries); b.Commit > n.commit {
		n.commit = max(n.commit, min(b.Commit, last))
	}
	return nil
}

// BatchFrom returns what a follower whose log matches up to prev needs next.
func (n *Node) BatchFrom(prev int) (Batch, error) {
	n.enter()
	defer n.leave()
	if n.role != Leader {
		return Batch{}, ErrNotLeader
	}
	if prev < 0 || prev > len(n.log) {
		return Batch{}, ErrGap
	}
	return Batch{
		Term: n.term, Prev: prev, PrevTerm: n.termAt(prev), Commit: n.commit,
		Entries: append([]Entry(nil), n.log[prev:]...),
	}, nil
}

// Acked moves the commit index when a majority has stored the log up to index.
func (n *Node) Acked(term uint64, index int) {
	n.enter()
	defer n.leave()
	if n.role == Leader && n.term == term && index <= len(n.log) && n.termAt(index) == term {
		n.commit = max(n.commit, index)
	}
}

// Pending is signalled when there are entries to replicate.
func (n *Node) Pending() <-chan struct{} { return n.notify }
