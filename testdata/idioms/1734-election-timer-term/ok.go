package a

import (
	"sync"
	"time"
)

type role int

const (
	follower role = iota
	candidate
	leader
)

// node is a member of a consensus group as far as elections go.
type node struct {
	id       string
	timeout  time.Duration
	quorum   int
	sendVote func(term uint64)

	mu       sync.Mutex
	role     role
	term     uint64
	votedFor string
	votes    map[string]bool
	timer    *time.Timer
	epoch    uint64
	stopped  bool
}

func newNode(id string, quorum int, timeout time.Duration, sendVote func(uint64)) *node {
	n := &node{id: id, quorum: quorum, timeout: timeout, sendVote: sendVote}
	n.mu.Lock()
	n.resetTimer()
	n.mu.Unlock()
	return n
}

// resetTimer begins a new election timeout. The caller holds n.mu.
func (n *node) resetTimer() {
	n.epoch++
	if n.timer != nil {
		n.timer.Stop()
	}
	if n.stopped || n.role == leader {
		return
	}
	epoch := n.epoch
	n.timer = time.AfterFunc(n.timeout, func() { n.onTimeout(epoch) })
}

// onTimeout starts an election. A timeout that was replaced while it was
// firing has an old epoch.
func (n *node) onTimeout(epoch uint64) {
	n.mu.Lock()
	if n.stopped || epoch != n.epoch {
		n.mu.Unlock()
		return
	}
	n.role = candidate
	n.term++
	n.votedFor = n.id
	n.votes = map[string]bool{n.id: true}
	if len(n.votes) >= n.quorum {
		n.role = leader
	}
	n.resetTimer()
	term := n.term
	n.mu.Unlock()

	// Voters and the handler of their answers compare the term.
	n.sendVote(term)
}

// HandleVote counts a vote for the term it was cast in.
func (n *node) HandleVote(from string, term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.role != candidate || term != n.term {
		return
	}
	n.votes[from] = true
	if len(n.votes) >= n.quorum {
		n.role = leader
		n.resetTimer()
	}
}

// HandleVoteRequest decides about a candidate.
func (n *node) HandleVoteRequest(from string, term uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.observe(term) {
		return false
	}
	if n.votedFor != "" && n.votedFor != from {
		return false
	}
	n.votedFor = from
	n.resetTimer()
	return true
}

// HandleHeartbeat is called for a message of the leader of a term.
func (n *node) HandleHeartbeat(term uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.observe(term) && n.role != leader {
		n.role = follower
		n.resetTimer()
	}
}

// observe steps down for a newer term; it tells whether the term is not an old
// one. The caller holds n.mu.
func (n *node) observe(term uint64) bool {
	if term > n.term {
		n.term = term
		n.votedFor = ""
		n.role = follower
		n.resetTimer()
	}
	return term == n.term
}

// Status tells the role and the term.
func (n *node) Status() (role, uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.role, n.term
}

// Stop ends elections for good.
func (n *node) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = true
	n.resetTimer()
}
