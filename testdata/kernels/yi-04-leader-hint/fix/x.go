// Package member tracks the leadership of a group and points clients at it.
package member

import (
	"errors"
	"fmt"
	"sync"
)

// ErrUnknownLeader is returned while an election is running.
var ErrUnknownLeader = errors.New("member: no known leader")

// Hint tells a client where the leader is. Of two hints the one of the higher
// term is right.
type Hint struct {
	Leader string
	Term   uint64
}

// NotLeaderError is the answer of a follower to a write.
type NotLeaderError struct{ Hint Hint }

func (e *NotLeaderError) Error() string {
	return fmt.Sprintf("member: not leader, try %s (term %d)", e.Hint.Leader, e.Hint.Term)
}

// Heartbeat is sent by the leader of a term.
type Heartbeat struct {
	From string
	Term uint64
}

// Node is one member of the group.
type Node struct {
	id string

	mu     sync.RWMutex
	term   uint64
	leader string
	data   map[string]string
}

// NewNode starts a member that takes heartbeats from in.
func NewNode(id string, in <-chan Heartbeat) *Node {
	n := &Node{id: id, data: make(map[string]string)}
	go func() {
		for hb := range in {
			n.handleHeartbeat(hb)
		}
	}()
	return n
}

func (n *Node) handleHeartbeat(hb Heartbeat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if hb.Term < n.term {
		return
	}
	n.term, n.leader = hb.Term, hb.From
}

// Leader returns the leader, or the empty string.
func (n *Node) Leader() string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.leader
}

// Term returns the current term.
func (n *Node) Term() uint64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.term
}

func (n *Node) hint() Hint {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return Hint{Leader: n.leader, Term: n.term}
}

// Put writes a key if this node leads, and redirects otherwise.
func (n *Node) Put(key, value string) error {
	n.mu.Lock()
	if n.leader == n.id {
		n.data[key] = value
		n.mu.Unlock()
		return nil
	}
	n.mu.Unlock()

	h := n.hint()
	if h.Leader == "" {
		return ErrUnknownLeader
	}
	return &NotLeaderError{Hint: h}
}

// Router is the client side: it remembers the best hint it has seen.
type Router struct {
	nodes map[string]*Node

	mu   sync.Mutex
	best Hint
}

// NewRouter returns a router that begins with the node named first.
func NewRouter(nodes map[string]*Node, first string) *Router {
	return &Router{nodes: nodes, best: Hint{Leader: first}}
}

func (r *Router) target() *Node {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nodes[r.best.Leader]
}

func (r *Router) observe(h Hint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.Term > r.best.Term {
		r.best = h
	}
}

// Put sends the write to the leader and follows redirects a few times.
func (r *Router) Put(key, value string) error {
	var err error
	for range 3 {
		n := r.target()
		if n == nil {
			return ErrUnknownLeader
		}
		err = n.Put(key, value)
		var nl *NotLeaderError
		if !errors.As(err, &nl) {
			return err
		}
		r.observe(nl.Hint)
	}
	return err
}
