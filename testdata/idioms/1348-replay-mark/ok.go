// Package ok applies change events with several workers and keeps a mark of
// how far the applied ones reach.
package ok

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Event is a change; events are numbered from 1 without gaps.
type Event struct {
	Seq  uint64
	Data []byte
}

// Marks keeps a mark for each feed. A mark never goes back.
type Marks struct {
	mu    sync.Mutex
	marks map[string]uint64
}

func NewMarks() *Marks {
	return &Marks{marks: make(map[string]uint64)}
}

// Reach moves the mark of a feed up to seq. If it is there already, or is
// further, nothing happens.
func (m *Marks) Reach(feed string, seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq > m.marks[feed] {
		m.marks[feed] = seq
	}
}

// Mark is where a feed has to go on.
func (m *Marks) Mark(feed string) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.marks[feed]
}

// pending holds the numbers that are done out of turn.
type pending struct {
	mu    sync.Mutex
	floor uint64
	ahead map[uint64]struct{}
}

// finish notes that seq is done and returns the last number before which
// nothing is missing.
func (p *pending) finish(seq uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead[seq] = struct{}{}
	for {
		if _, ok := p.ahead[p.floor+1]; !ok {
			return p.floor
		}
		p.floor++
		delete(p.ahead, p.floor)
	}
}

// Feed applies the events of one source.
type Feed struct {
	name    string
	marks   *Marks
	pending pending
	apply   func(context.Context, Event) error
	applied atomic.Int64
}

// NewFeed goes on where the feed of that name has stopped.
func NewFeed(name string, marks *Marks, apply func(context.Context, Event) error) *Feed {
	return &Feed{
		name:    name,
		marks:   marks,
		pending: pending{floor: marks.Mark(name), ahead: make(map[uint64]struct{})},
		apply:   apply,
	}
}

// Run applies events with n workers until the channel is closed or one fails.
func (f *Feed) Run(ctx context.Context, n int, events <-chan Event) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ev := range events {
				if ctx.Err() != nil {
					return
				}
				if err := f.apply(ctx, ev); err != nil {
					cancel(fmt.Errorf("event %d: %w", ev.Seq, err))
					return
				}
				f.done(ev.Seq)
			}
		}()
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (f *Feed) done(seq uint64) {
	reached := f.pending.finish(seq)
	f.applied.Add(1)
	f.marks.Reach(f.name, reached)
}

// Applied counts the events applied by this feed.
func (f *Feed) Applied() int64 { return f.applied.Load() }
