// Package consumer tracks the acknowledgements of one broker partition. The
// messages of a partition are handled by several workers and end out of order;
// the committed offset is the point before which everything is handled. The
// broker may delete what lies before it.
package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Message is one entry of the partition.
type Message struct {
	Offset int64
	Key    []byte
	Value  []byte
}

// Broker is the client of the message broker.
type Broker interface {
	Fetch(ctx context.Context, from int64, max int) ([]Message, error)
	Trim(ctx context.Context, before int64) error
}

// Offsets holds the committed offsets of all partitions of the group. It is
// saved by the group coordinator and read again at the next start.
type Offsets struct {
	mu        sync.Mutex
	committed map[string]int64
}

// NewOffsets returns the offsets of a group as they were saved.
func NewOffsets(saved map[string]int64) *Offsets {
	o := &Offsets{committed: make(map[string]int64, len(saved))}
	for p, off := range saved {
		o.committed[p] = off
	}
	return o
}

// Commit records that everything before off is handled.
func (o *Offsets) Commit(partition string, off int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.committed[partition] = off
}

// Committed returns the offset at which the partition is to be resumed.
func (o *Offsets) Committed(partition string) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.committed[partition]
}

// window is the set of messages that were handed to workers.
type window struct {
	mu       sync.Mutex
	low      int64 // first offset that is not finished
	high     int64 // first offset that was not handed out
	finished map[int64]bool
}

// extend notes that the message at off was handed out.
func (w *window) extend(off int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.high = max(w.high, off+1)
}

// finish notes that the message at off is handled, and returns the first
// offset which is not.
func (w *window) finish(off int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished[off] = true
	for w.finished[w.low] {
		delete(w.finished, w.low)
		w.low++
	}
	return w.low
}

// open returns the number of messages which workers still have.
func (w *window) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return int(w.high-w.low) - len(w.finished)
}

// Partition consumes one partition with several workers.
type Partition struct {
	name    string
	broker  Broker
	offsets *Offsets
	start   int64
	win     *window
	handle  func(context.Context, Message) error
}

// NewPartition resumes the partition at its committed offset.
func NewPartition(name string, b Broker, o *Offsets, handle func(context.Context, Message) error) *Partition {
	start := o.Committed(name)
	return &Partition{
		name:    name,
		broker:  b,
		offsets: o,
		start:   start,
		win:     &window{low: start, high: start, finished: make(map[int64]bool)},
		handle:  handle,
	}
}

// InFlight returns the number of messages being handled.
func (p *Partition) InFlight() int { return p.win.open() }

// Run fetches messages and hands them to n workers until ctx ends or one of
// them fails. It is called once.
func (p *Partition) Run(ctx context.Context, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	feed := make(chan Message)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for m := range feed {
				if err := p.handle(ctx, m); err != nil {
					cancel(fmt.Errorf("partition %s offset %d: %w", p.name, m.Offset, err))
					return
				}
				p.ack(m.Offset)
			}
		})
	}
	err := p.pump(ctx, feed)
	close(feed)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// ack finishes the message and commits as far as possible.
func (p *Partition) ack(off int64) {
	low := p.win.finish(off)
	p.offsets.Commit(p.name, low)
}

// pump reads the partition from its start offset on. What is committed
// is trimmed from the broker as it goes.
func (p *Partition) pump(ctx context.Context, feed chan<- Message) error {
	next := p.start
	for {
		msgs, err := p.broker.Fetch(ctx, next, 100)
		if err != nil {
			return fmt.Errorf("fetch %s: %w", p.name, err)
		}
		for _, m := range msgs {
			p.win.extend(m.Offset)
			select {
			case feed <- m:
			case <-ctx.Done():
				return ctx.Err()
			}
			next = m.Offset + 1
		}
		if err := p.broker.Trim(ctx, p.offsets.Committed(p.name)); err != nil {
			return fmt.Errorf("trim %s: %w", p.name, err)
		}
	}
}
