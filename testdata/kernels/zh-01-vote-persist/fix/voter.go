// Package voter holds the durable part of a raft peer: its term, its vote and
// the rules by which both may change.
package voter

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// HardState is what must survive a restart.
type HardState struct {
	Term uint64
	Vote string
}

// Stable writes the hard state and syncs it before it returns.
type Stable interface {
	Save(HardState) error
}

// Entry is one record of the replicated log.
type Entry struct {
	Term uint64
	Data []byte
}

// Log is the local log of the peer.
type Log interface {
	Tail() (index, term uint64)
	Append(prevIndex, prevTerm uint64, entries []Entry) (bool, error)
}

// VoteRequest asks for a vote in the given term.
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

// Member is one voting peer. Its handlers are called from RPC goroutines.
type Member struct {
	id   string
	disk Stable
	log  Log

	mu      sync.Mutex
	state   HardState
	leader  string
	contact time.Time
}

// NewMember returns a member that continues from a recovered hard state.
func NewMember(id string, disk Stable, log Log, recovered HardState) *Member {
	return &Member{id: id, disk: disk, log: log, state: recovered, contact: time.Now()}
}

// Leader returns the leader of the current term, if one is known.
func (m *Member) Leader() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leader
}

// HandleVote answers a candidate. The sync of the hard state is the slow part.
func (m *Member) HandleVote(req VoteRequest) (VoteReply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prev, next, granted := m.evaluateLocked(req)
	if next != prev {
		if err := m.disk.Save(next); err != nil {
			return VoteReply{}, fmt.Errorf("voter: save hard state: %w", err)
		}
		m.installLocked(next)
	}
	return VoteReply{Term: next.Term, Granted: granted}, nil
}

// evaluateLocked applies the voting rules to the request.
func (m *Member) evaluateLocked(req VoteRequest) (prev, next HardState, granted bool) {
	prev, next = m.state, m.state
	if req.Term < next.Term {
		return prev, next, false
	}
	if req.Term > next.Term {
		next = HardState{Term: req.Term}
	}
	if next.Vote != "" && next.Vote != req.Candidate {
		return prev, next, false
	}
	index, term := m.log.Tail()
	if req.LastTerm < term || (req.LastTerm == term && req.LastIndex < index) {
		return prev, next, false
	}
	next.Vote = req.Candidate
	return prev, next, true
}

// installLocked makes a saved hard state the current one.
func (m *Member) installLocked(next HardState) {
	if next.Term > m.state.Term {
		m.leader = ""
	}
	if next.Vote != "" {
		m.contact = time.Now()
	}
	m.state = next
}

// HandleAppend accepts entries and heartbeats of a leader.
func (m *Member) HandleAppend(term uint64, leader string, prevIndex, prevTerm uint64, entries []Entry) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if term < m.state.Term {
		return false, nil
	}
	if term > m.state.Term {
		next := HardState{Term: term}
		if err := m.disk.Save(next); err != nil {
			return false, fmt.Errorf("voter: save hard state: %w", err)
		}
		m.state = next
	}
	m.leader = leader
	m.contact = time.Now()
	return m.log.Append(prevIndex, prevTerm, entries)
}

// campaign opens a new term with a vote for the member itself when no leader
// has been heard of for the given time.
func (m *Member) campaign(timeout time.Duration) (VoteRequest, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.contact) < timeout {
		return VoteRequest{}, false, nil
	}
	next := HardState{Term: m.state.Term + 1, Vote: m.id}
	if err := m.disk.Save(next); err != nil {
		return VoteRequest{}, false, fmt.Errorf("voter: save hard state: %w", err)
	}
	m.state, m.leader, m.contact = next, "", time.Now()
	index, term := m.log.Tail()
	return VoteRequest{Term: next.Term, Candidate: m.id, LastIndex: index, LastTerm: term}, true, nil
}

// Run starts elections until the context ends; ask sends a request to the peers.
func (m *Member) Run(ctx context.Context, timeout time.Duration, ask func(VoteRequest)) error {
	tick := time.NewTicker(timeout / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		req, due, err := m.campaign(timeout)
		if err != nil {
			return err
		}
		if due {
			go ask(req)
		}
	}
}
