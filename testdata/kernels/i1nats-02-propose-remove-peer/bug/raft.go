// Package raft holds the membership part of a replicated log.
package raft

import (
	"errors"
	"sync"
	"time"
)

var (
	errNotLeader = errors.New("raft: not leader")
)

// EntryType tells what an entry does.
type EntryType uint8

const (
	EntryNormal EntryType = iota
	EntryAddPeer
	EntryRemovePeer
)

// Entry is one log entry.
type Entry struct {
	Type EntryType
	Data string
}

// Transport sends requests to the leader's inbox and entries to the peers.
type Transport interface {
	SendRPC(subject, data string)
	Replicate(e *Entry)
}

// Node is one member of a group.
type Node struct {
	tr   Transport
	prop *queue

	mu      sync.RWMutex
	leader  bool
	rpsubj  string
	log     []*Entry
	commit  int // number of committed entries
	peers   map[string]struct{}
	removed map[string]time.Time
	qn      int // quorum
}

// NewNode returns a follower.
func NewNode(tr Transport, inbox string, peers ...string) *Node {
	n := &Node{
		tr:      tr,
		prop:    newQueue(),
		rpsubj:  inbox,
		peers:   make(map[string]struct{}),
		removed: make(map[string]time.Time),
	}
	for _, p := range peers {
		n.peers[p] = struct{}{}
	}
	n.adjustQuorum()
	return n
}

// adjustQuorum follows the peer set. Lock should be held.
func (n *Node) adjustQuorum() { n.qn = len(n.peers)/2 + 1 }

// ProposeAddPeer proposes a new member.
func (n *Node) ProposeAddPeer(peer string) error {
	n.mu.RLock()
	if !n.leader {
		n.mu.RUnlock()
		return errNotLeader
	}
	n.mu.RUnlock()
	n.prop.push(&Entry{Type: EntryAddPeer, Data: peer})
	return nil
}

// doRemovePeerAsLeader stops counting a peer that is most likely gone.
func (n *Node) doRemovePeerAsLeader(peer string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.removed[peer] = time.Now()
	if _, ok := n.peers[peer]; ok {
		delete(n.peers, peer)
		n.adjustQuorum()
	}
}

// ProposeRemovePeer removes a member, through the leader if that is not us.
func (n *Node) ProposeRemovePeer(peer string) error {
	n.mu.RLock()
	subj, isLeader := n.rpsubj, n.leader
	n.mu.RUnlock()

	// The leader processes the removal and then notifies the group.
	if isLeader {
		n.prop.push(&Entry{Type: EntryRemovePeer, Data: peer})
		n.doRemovePeerAsLeader(peer)
		return nil
	}
	n.tr.SendRPC(subj, peer)
	return nil
}

// sendNext takes one proposal and writes it to the log.
func (n *Node) sendNext() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.leader {
		return false
	}
	e := n.prop.pop()
	if e == nil {
		return false
	}
	n.log = append(n.log, e)
	n.tr.Replicate(e)
	return true
}

// Run sends proposals, for as long as the process lives.
func (n *Node) Run() {
	for range n.prop.ch {
		for n.sendNext() {
		}
	}
}

// ApplyCommit applies the log up to index.
func (n *Node) ApplyCommit(index int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.commit < index && n.commit < len(n.log) {
		switch e := n.log[n.commit]; e.Type {
		case EntryAddPeer:
			n.peers[e.Data] = struct{}{}
			delete(n.removed, e.Data)
		case EntryRemovePeer:
			n.removed[e.Data] = time.Now()
			delete(n.peers, e.Data)
		}
		n.adjustQuorum()
		n.commit++
	}
}

// StepUp makes the node the leader.
func (n *Node) StepUp() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leader = true
	n.log = append(n.log, &Entry{Type: EntryNormal, Data: "term"})
}

// StepDown makes the node a follower and forgets what it did not send.
func (n *Node) StepDown() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leader = false
	n.prop.drain()
}
