// Correct: match indexes and the commit index are updated in two critical
// sections, but both only grow: a quorum computed from an older copy is still
// a quorum, and the second section raises the commit index, never lowers it.
// Whoever records the last acknowledgement copies all of them.

// Package ok follows the replication progress of a fixed set of members.
package ok

import (
	"context"
	"maps"
	"slices"
	"sync"
)

type Progress struct {
	mu    sync.Mutex
	match map[string]uint64

	commitMu sync.Mutex
	commit   uint64
	moved    chan struct{}
}

func NewProgress(members []string) *Progress {
	p := &Progress{match: make(map[string]uint64, len(members)), moved: make(chan struct{})}
	for _, m := range members {
		p.match[m] = 0
	}
	return p
}

// Ack records that a member has the log up to index.
func (p *Progress) Ack(member string, index uint64) {
	all, ok := p.record(member, index)
	if !ok {
		return
	}
	slices.Sort(all)
	p.raise(all[(len(all)-1)/2])
}

func (p *Progress) record(member string, index uint64) ([]uint64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, ok := p.match[member]
	if !ok || index <= old {
		return nil, false
	}
	p.match[member] = index
	return slices.Collect(maps.Values(p.match)), true
}

func (p *Progress) raise(index uint64) {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	if index <= p.commit {
		return
	}
	p.commit = index
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *Progress) state() (uint64, <-chan struct{}) {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	return p.commit, p.moved
}

// Wait blocks until the log is committed up to index.
func (p *Progress) Wait(ctx context.Context, index uint64) error {
	for {
		commit, moved := p.state()
		if commit >= index {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Lag returns how far a member is behind the commit index, for display.
func (p *Progress) Lag(member string) uint64 {
	commit, _ := p.state()
	p.mu.Lock()
	m := p.match[member]
	p.mu.Unlock()
	if m >= commit {
		return 0
	}
	return commit - m
}
