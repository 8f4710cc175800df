// Package ok is the main loop of a consensus node.
package ok

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNotLeader is returned by followers.
var ErrNotLeader = errors.New("node is not the leader")

// Entry is one entry of the log.
type Entry struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// state is written by the main loop only and read by everybody.
type state struct {
	currentTerm atomic.Uint64
	commitIndex atomic.Uint64
	leader      atomic.Bool

	lastMu    sync.Mutex
	lastIndex uint64
	lastTerm  uint64
}

func (s *state) getLast() (index, term uint64) {
	s.lastMu.Lock()
	defer s.lastMu.Unlock()
	return s.lastIndex, s.lastTerm
}

func (s *state) setLast(index, term uint64) {
	s.lastMu.Lock()
	defer s.lastMu.Unlock()
	s.lastIndex, s.lastTerm = index, term
}

type ack struct {
	peer  string
	index uint64
}

type applyFuture struct {
	data []byte
	err  chan error
}

// Node is one member.
type Node struct {
	state
	voters  map[string]uint64 // peer -> replicated index, used by loop only
	pending map[uint64]chan error

	applyCh    chan applyFuture
	ackCh      chan ack
	electionCh chan bool
	shutdownCh chan struct{}
	done       chan struct{}

	logMu sync.RWMutex
	log   []Entry
}

// Start runs the loop.
func Start(peers []string) *Node {
	n := &Node{
		voters:     make(map[string]uint64),
		pending:    make(map[uint64]chan error),
		applyCh:    make(chan applyFuture),
		ackCh:      make(chan ack, 64),
		electionCh: make(chan bool),
		shutdownCh: make(chan struct{}),
		done:       make(chan struct{}),
	}
	for _, p := range peers {
		n.voters[p] = 0
	}
	go n.run()
	return n
}

func (n *Node) run() {
	defer close(n.done)
	for {
		select {
		case won := <-n.electionCh:
			n.leader.Store(won)
			if won {
				n.currentTerm.Store(n.currentTerm.Load() + 1)
				n.dispatch(nil, nil)
			} else {
				n.failPending()
			}
		case f := <-n.applyCh:
			if !n.leader.Load() {
				f.err <- ErrNotLeader
				continue
			}
			n.dispatch(f.data, f.err)
		case a := <-n.ackCh:
			n.acknowledge(a)
		case <-n.shutdownCh:
			n.leader.Store(false)
			n.failPending()
			return
		}
	}
}

// dispatch appends an entry.
func (n *Node) dispatch(data []byte, res chan error) {
	term := n.currentTerm.Load()
	last, _ := n.getLast()
	e := Entry{Index: last + 1, Term: term, Data: data}

	n.logMu.Lock()
	n.log = append(n.log, e)
	n.logMu.Unlock()

	n.setLast(e.Index, e.Term)
	if res != nil {
		n.pending[e.Index] = res
	}
}

// acknowledge counts what a peer has stored and commits.
func (n *Node) acknowledge(a ack) {
	if have, ok := n.voters[a.peer]; !ok || a.index <= have {
		return
	}
	n.voters[a.peer] = a.index

	last, _ := n.getLast()
	matched := []uint64{last}
	for _, index := range n.voters {
		matched = append(matched, index)
	}
	slices.Sort(matched)
	quorum := matched[(len(matched)-1)/2]

	old := n.commitIndex.Load()
	if quorum <= old || n.termOf(quorum) != n.currentTerm.Load() {
		return
	}
	n.commitIndex.Store(quorum)
	for index := old + 1; index <= quorum; index++ {
		if res, ok := n.pending[index]; ok {
			res <- nil
			delete(n.pending, index)
		}
	}
}

func (n *Node) termOf(index uint64) uint64 {
	n.logMu.RLock()
	defer n.logMu.RUnlock()
	if index == 0 || index > uint64(len(n.log)) {
		return 0
	}
	return n.log[index-1].Term
}

func (n *Node) failPending() {
	for index, res := range n.pending {
		res <- ErrNotLeader
		delete(n.pending, index)
	}
}

// Apply appends data and waits until it is committed.
func (n *Node) Apply(data []byte) error {
	f := applyFuture{data: data, err: make(chan error, 1)}
	select {
	case n.applyCh <- f:
		return <-f.err
	case <-n.shutdownCh:
		return ErrNotLeader
	}
}

// Acknowledge is called by the goroutine that replicates to peer.
func (n *Node) Acknowledge(peer string, index uint64) {
	select {
	case n.ackCh <- ack{peer, index}:
	case <-n.done:
	}
}

// Elected tells the node the result of an election.
func (n *Node) Elected(won bool) {
	select {
	case n.electionCh <- won:
	case <-n.done:
	}
}

// Since returns entries that were appended after index, for replication.
func (n *Node) Since(index uint64) []Entry {
	n.logMu.RLock()
	defer n.logMu.RUnlock()
	if index >= uint64(len(n.log)) {
		return nil
	}
	return slices.Clone(n.log[index:])
}

// CommitIndex returns the last committed index.
func (n *Node) CommitIndex() uint64 { return n.commitIndex.Load() }

// Shutdown stops the loop. It must be called once.
func (n *Node) Shutdown() {
	close(n.shutdownCh)
	<-n.done
}
