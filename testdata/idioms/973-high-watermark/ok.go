// Package quorum computes up to which offset a partition is replicated.
package quorum

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Partition is the leader's view of one partition. Replicas acknowledge from
// the goroutines of their connections.
type Partition struct {
	need  int
	match []atomic.Uint64 // per replica, never goes back
	high  atomic.Uint64   // never goes back

	mu    sync.Mutex
	moved chan struct{} // closed when high has moved
}

// New returns a partition with the given number of replicas, of which a
// majority has to have a record.
func New(replicas int) *Partition {
	return &Partition{
		need:  replicas/2 + 1,
		match: make([]atomic.Uint64, replicas),
		moved: make(chan struct{}),
	}
}

// raise lifts v to at least to and reports whether that changed it.
func raise(v *atomic.Uint64, to uint64) bool {
	for {
		cur := v.Load()
		if cur >= to {
			return false
		}
		if v.CompareAndSwap(cur, to) {
			return true
		}
	}
}

// Ack notes that a replica has everything below offset. Acknowledgements may be
// late or repeated.
func (p *Partition) Ack(replica int, offset uint64) {
	if !raise(&p.match[replica], offset) {
		return
	}
	if raise(&p.high, p.majority()) {
		p.broadcast()
	}
}

// majority returns the offset that enough replicas have reached.
func (p *Partition) majority() uint64 {
	offsets := make([]uint64, len(p.match))
	for i := range p.match {
		offsets[i] = p.match[i].Load()
	}
	slices.Sort(offsets)
	return offsets[len(offsets)-p.need]
}

func (p *Partition) broadcast() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *Partition) changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.moved
}

// High returns the offset below which everything is replicated.
func (p *Partition) High() uint64 { return p.high.Load() }

// Wait returns when everything below offset is replicated.
func (p *Partition) Wait(ctx context.Context, offset uint64) error {
	for {
		// The channel has to be taken first, a move after that closes it.
		moved := p.changed()
		if p.high.Load() >= offset {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Lag returns how far a replica is behind the high watermark.
func (p *Partition) Lag(replica int) uint64 {
	high, at := p.high.Load(), p.match[replica].Load()
	if at >= high {
		return 0
	}
	return high - at
}
