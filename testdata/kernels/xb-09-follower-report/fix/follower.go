// Package follower applies a leader's log to a local sink and reports back how
// far it has got, so that the leader can trim its log.
package follower

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Frame is a piece of the log. Offsets start at zero in every epoch.
type Frame struct {
	Epoch uint64
	End   uint64 // offset just past the frame
	Body  []byte
}

// Report tells the leader what the follower has. The leader discards the part
// of the given epoch before Offset.
type Report struct {
	Node   string
	Epoch  uint64
	Offset uint64
}

// Sink stores frames durably.
type Sink interface {
	Write(f Frame) error
}

// Leader is the follower's view of the leader.
type Leader interface {
	Frames(ctx context.Context) (<-chan Frame, error)
	Send(ctx context.Context, r Report) error
}

// progress is what reporting needs to know about the applied log.
type progress interface {
	Position() (epoch, offset uint64)
}

// applied is the position of the last frame written to the sink.
type applied struct {
	mu     sync.RWMutex
	epoch  uint64
	offset uint64
}

func (a *applied) Position() (epoch, offset uint64) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.epoch, a.offset
}

// advance moves the position to the end of f.
func (a *applied) advance(f Frame) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.Epoch < a.epoch || f.Epoch == a.epoch && f.End < a.offset {
		return fmt.Errorf("follower: frame %d/%d is behind %d/%d", f.Epoch, f.End, a.epoch, a.offset)
	}
	a.epoch, a.offset = f.Epoch, f.End
	return nil
}

// Follower replicates from one leader at a time.
type Follower struct {
	node   string
	sink   Sink
	leader Leader
	pos    *applied
}

// New returns a follower that has nothing applied yet.
func New(node string, sink Sink, leader Leader) *Follower {
	return &Follower{node: node, sink: sink, leader: leader, pos: &applied{}}
}

// Run replicates until ctx is done or replication fails, reporting progress
// every period. It is called once.
func (f *Follower) Run(ctx context.Context, period time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		f.heartbeat(ctx, period)
	}()
	defer wg.Wait()
	defer cancel()

	frames, err := f.leader.Frames(ctx)
	if err != nil {
		return err
	}
	for {
		select {
		case fr, ok := <-frames:
			if !ok {
				return nil
			}
			if err := f.apply(fr); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *Follower) apply(fr Frame) error {
	if err := f.sink.Write(fr); err != nil {
		return err
	}
	return f.pos.advance(fr)
}

func (f *Follower) heartbeat(ctx context.Context, period time.Duration) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = f.leader.Send(ctx, report(f.node, f.pos))
		case <-ctx.Done():
			return
		}
	}
}

// report describes p in the terms of the protocol.
func report(node string, p progress) Report {
	epoch, off := p.Position()
	return Report{Node: node, Epoch: epoch, Offset: off}
}
