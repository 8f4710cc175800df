// Correct: Ack records a follower's position in one critical section, computes the
// majority position in a second and raises the commit index in a third step.
// Positions only go up, so a position that a majority once had it still has:
// what was computed may be too low by now, never too high. raise never lowers
// the index, and the Ack that brought a position in computes after it, so the
// last one through sees them all.
package commitindex

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

var ErrUnknownPeer = errors.New("unknown peer")

// Progress follows how far the replicas of a fixed group have come.
type Progress struct {
	mu      sync.RWMutex
	match   map[string]uint64
	commit  atomic.Uint64
	applyCh chan struct{}
}

func New(peers ...string) *Progress {
	p := &Progress{
		match:   make(map[string]uint64, len(peers)),
		applyCh: make(chan struct{}, 1),
	}
	for _, id := range peers {
		p.match[id] = 0
	}
	return p
}

func (p *Progress) advance(peer string, index uint64) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	have, ok := p.match[peer]
	if !ok {
		return false, ErrUnknownPeer
	}
	if index <= have {
		return false, nil
	}
	p.match[peer] = index
	return true, nil
}

// majority returns the highest index that more than half of the group has.
func (p *Progress) majority() uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make([]uint64, 0, len(p.match))
	for _, m := range p.match {
		all = append(all, m)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

func (p *Progress) raise(to uint64) bool {
	for {
		cur := p.commit.Load()
		if to <= cur {
			return false
		}
		if p.commit.CompareAndSwap(cur, to) {
			return true
		}
	}
}

// Ack takes note that a peer has the log up to an index.
func (p *Progress) Ack(peer string, index uint64) error {
	moved, err := p.advance(peer, index)
	if err != nil || !moved {
		return err
	}
	if p.raise(p.majority()) {
		select {
		case p.applyCh <- struct{}{}:
		default:
		}
	}
	return nil
}

// Committed returns the commit index.
func (p *Progress) Committed() uint64 { return p.commit.Load() }

// Ready has a value when the commit index was raised since it was last read.
// The reader asks for Committed after it has taken the value.
func (p *Progress) Ready() <-chan struct{} { return p.applyCh }

// Lag returns by how much a peer is behind the commit index.
func (p *Progress) Lag(peer string) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.commit.Load()
	if m := p.match[peer]; m < c {
		return c - m
	}
	return 0
}
