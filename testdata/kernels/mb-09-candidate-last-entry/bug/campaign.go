// Package election runs campaigns of a replicated log.
package election

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	// ErrGap is returned when entries do not connect to the log.
	ErrGap = errors.New("election: log gap")
	// ErrStaleLeader is returned for entries of a leader that has been followed by another one.
	ErrStaleLeader = errors.New("election: stale leader")
)

// Entry of the replicated log.
type Entry struct {
	Term uint64
	Data []byte
}

// ReplicatedLog is the log of one node; index 1 is the first entry.
type ReplicatedLog struct {
	mu      sync.RWMutex
	entries []Entry
	leader  uint64 // term of the newest leader that wrote
}

// LastIndex returns the index of the newest entry.
func (l *ReplicatedLog) LastIndex() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return uint64(len(l.entries))
}

// LastTerm returns the term of the newest entry.
func (l *ReplicatedLog) LastTerm() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.lastTerm()
}

func (l *ReplicatedLog) lastTerm() uint64 {
	if n := len(l.entries); n > 0 {
		return l.entries[n-1].Term
	}
	return 0
}

// ReplaceFrom drops what follows prev and appends the leader's entries.
func (l *ReplicatedLog) ReplaceFrom(term, prev uint64, entries []Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if term < l.leader {
		return fmt.Errorf("%w: term %d, now %d", ErrStaleLeader, term, l.leader)
	}
	l.leader = term
	if prev > uint64(len(l.entries)) {
		return fmt.Errorf("%w: have %d, leader sent from %d", ErrGap, len(l.entries), prev)
	}
	kept := make([]Entry, prev, prev+uint64(len(entries)))
	copy(kept, l.entries)
	l.entries = append(kept, entries...)
	return nil
}

// VoteRequest is sent to all peers.
type VoteRequest struct {
	Term      uint64
	From      string
	LastIndex uint64
	LastTerm  uint64
}

// Peer is asked for its vote.
type Peer interface {
	RequestVote(ctx context.Context, req VoteRequest) (granted bool, term uint64, err error)
}

// Candidate campaigns for leadership.
type Candidate struct {
	id    string
	log   *ReplicatedLog
	peers []Peer
	term  atomic.Uint64
}

// NewCandidate returns a candidate that knows the given peers.
func NewCandidate(id string, log *ReplicatedLog, peers []Peer) *Candidate {
	return &Candidate{id: id, log: log, peers: peers}
}

// HandleAppend takes entries from a leader; it runs on the transport's goroutines.
func (c *Candidate) HandleAppend(term, prev uint64, entries []Entry) error {
	c.observeTerm(term)
	return c.log.ReplaceFrom(term, prev, entries)
}

func (c *Candidate) observeTerm(term uint64) {
	for {
		cur := c.term.Load()
		if term <= cur || c.term.CompareAndSwap(cur, term) {
			return
		}
	}
}

func (c *Candidate) voteRequest(term uint64) VoteRequest {
	return VoteRequest{
		Term:      term,
		From:      c.id,
		LastIndex: c.log.LastIndex(),
		LastTerm:  c.log.LastTerm(),
	}
}

// Campaign asks all peers for their vote in a new term, which it returns, and reports whether a majority agreed.
func (c *Candidate) Campaign(ctx context.Context) (uint64, bool, error) {
	term := c.term.Add(1)
	req := c.voteRequest(term)
	answers := make(chan bool, len(c.peers))
	for _, p := range c.peers {
		go func() {
			granted, seen, err := p.RequestVote(ctx, req)
			if err == nil {
				c.observeTerm(seen)
			}
			answers <- err == nil && granted
		}()
	}
	votes := 1
	for range c.peers {
		select {
		case <-ctx.Done():
			return term, false, ctx.Err()
		case ok := <-answers:
			if ok {
				votes++
			}
		}
	}
	return term, votes > (len(c.peers)+1)/2, nil
}
