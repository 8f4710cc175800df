// Correct: match indexes and the commit index only grow, and the members are
// fixed. An index once held by a majority stays so; advance takes a computed
// index only if it is higher than the one reached, so an old one does no harm.

// Package ok finds out which log entries a majority has.
package ok

import (
	"slices"
	"sync"
)

// NodeID names a member.
type NodeID int

// Progress is used by the goroutines that talk to the followers.
type Progress struct {
	matchMu sync.RWMutex
	match   map[NodeID]uint64

	commitMu sync.Mutex
	moved    *sync.Cond
	commit   uint64
	stopped  bool
}

func New(members ...NodeID) *Progress {
	p := &Progress{match: make(map[NodeID]uint64)}
	p.moved = sync.NewCond(&p.commitMu)
	for _, m := range members {
		p.match[m] = 0
	}
	return p
}

func (p *Progress) raise(n NodeID, index uint64) bool {
	p.matchMu.Lock()
	defer p.matchMu.Unlock()
	have, ok := p.match[n]
	if !ok || index <= have {
		return false
	}
	p.match[n] = index
	return true
}

func (p *Progress) majority() uint64 {
	p.matchMu.RLock()
	all := make([]uint64, 0, len(p.match))
	for _, m := range p.match {
		all = append(all, m)
	}
	p.matchMu.RUnlock()
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

func (p *Progress) advance(index uint64) {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	if index > p.commit {
		p.commit = index
		p.moved.Broadcast()
	}
}

// Ack is called when a member has stored the log up to index.
func (p *Progress) Ack(n NodeID, index uint64) {
	if !p.raise(n, index) {
		return
	}
	p.advance(p.majority())
}

// Committed is the commit index.
func (p *Progress) Committed() uint64 {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	return p.commit
}

// Wait returns true when index is committed, false when stopped before.
func (p *Progress) Wait(index uint64) bool {
	if p.Committed() >= index {
		return true
	}
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	for p.commit < index && !p.stopped {
		p.moved.Wait()
	}
	return p.commit >= index
}

// Stop wakes all who wait.
func (p *Progress) Stop() {
	p.commitMu.Lock()
	p.stopped = true
	p.commitMu.Unlock()
	p.moved.Broadcast()
}
