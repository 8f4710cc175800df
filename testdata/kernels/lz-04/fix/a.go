package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

type RaftState int32

const (
	Follower RaftState = iota
	Leader
	Closed
)

var errNodeClosed = errors.New("raft: node is closed")

type appendEntryResponse struct {
	term    uint64
	index   uint64
	peer    string
	success bool
}

type lps struct{ li uint64 }

type raft struct {
	sync.RWMutex
	state  atomic.Int32
	term   uint64
	commit uint64
	qn     int
	leader string
	peers  map[string]*lps
	acks   map[uint64]map[string]struct{}
	apply  []uint64
	resp   chan *appendEntryResponse
}

func (n *raft) State() RaftState { return RaftState(n.state.Load()) }

// Lock should be held.
func (n *raft) switchState(s RaftState) { n.state.Store(int32(s)) }

// Lock should be held.
func (n *raft) stepdownLocked(newLeader string) {
	if n.State() == Closed {
		return
	}
	// Reset acks, we can't assume acks from a previous term are still valid in another term.
	if len(n.acks) > 0 {
		n.acks = make(map[uint64]map[string]struct{})
	}
	n.leader = newLeader
	n.switchState(Follower)
}

// Lock should be held.
func (n *raft) applyCommit(index uint64) error {
	if n.State() == Closed {
		return errNodeClosed
	}
	if index <= n.commit {
		return nil
	}
	n.commit = index
	n.apply = append(n.apply, index)
	delete(n.acks, index)
	return nil
}

// Used to track a success response and apply entries.
func (n *raft) trackResponse(ar *appendEntryResponse) {
	if n.State() == Closed {
		return
	}

	n.Lock()
	defer n.Unlock()

	// Check state under lock, we might not be leader anymore.
	if n.State() != Leader {
		return
	}

	if ps := n.peers[ar.peer]; ps != nil && ar.index > ps.li {
		ps.li = ar.index
	}

	if ar.index <= n.commit {
		return
	}

	results := n.acks[ar.index]
	if results == nil {
		results = make(map[string]struct{})
		n.acks[ar.index] = results
	}
	results[ar.peer] = struct{}{}

	// We don't count ourselves to account for leader changes, so add 1.
	if nr := len(results); nr+1 >= n.qn {
		for index := n.commit + 1; index <= ar.index; index++ {
			if err := n.applyCommit(index); err != nil {
				break
			}
		}
	}
}

func (n *raft) processAppendEntryResponse(ar *appendEntryResponse) {
	if ar.success {
		n.trackResponse(ar)
		return
	}
	n.Lock()
	if ar.term > n.term {
		n.term = ar.term
		n.stepdownLocked("")
	}
	n.Unlock()
}

// Called from the subscription goroutine of the new leader's entries.
func (n *raft) processAppendEntry(leader string, term uint64) {
	n.Lock()
	defer n.Unlock()
	if term < n.term {
		return
	}
	n.term = term
	if leader != n.leader {
		n.stepdownLocked(leader)
	}
}

func (n *raft) runAsLeader() {
	for n.State() == Leader {
		n.processAppendEntryResponse(<-n.resp)
	}
}
