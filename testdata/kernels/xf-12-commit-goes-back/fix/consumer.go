// Package consumer reads one partition of a message log with several workers
// and commits how far it got.
package consumer

import (
	"context"
	"fmt"
	"log"
	"sync"
)

// Record is a message of the partition.
type Record struct {
	Offset int64
	Key    []byte
	Value  []byte
}

// Log is the partition. Poll returns the next records in order.
type Log interface {
	Poll(ctx context.Context) ([]Record, error)
}

// OffsetStore remembers where a group resumes. Commit replaces the stored
// offset.
type OffsetStore interface {
	Commit(ctx context.Context, group string, next int64) error
}

// Handler processes a record. It is called from several goroutines.
type Handler func(ctx context.Context, r Record) error

// tracker knows which records are done. Records end out of order; the
// position is the offset below which all are done.
type tracker struct {
	mu   sync.Mutex
	next int64
	done map[int64]bool
}

// finish notes that a record is done and reports whether the position has
// moved.
func (t *tracker) finish(offset int64) (moved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[offset] = true
	for t.done[t.next] {
		delete(t.done, t.next)
		t.next++
		moved = true
	}
	return moved
}

// position returns the offset below which all records are done.
func (t *tracker) position() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

// Consumer processes a partition for a group.
type Consumer struct {
	group   string
	log     Log
	offsets OffsetStore
	handle  Handler
	workers int
	track   tracker

	commitMu sync.Mutex // orders the commits
}

// New returns a consumer that resumes at start.
func New(group string, l Log, offsets OffsetStore, h Handler, workers int, start int64) *Consumer {
	return &Consumer{
		group:   group,
		log:     l,
		offsets: offsets,
		handle:  h,
		workers: workers,
		track:   tracker{next: start, done: make(map[int64]bool)},
	}
}

// Run processes records until ctx ends or the log fails.
func (c *Consumer) Run(ctx context.Context) error {
	work := make(chan Record)
	var wg sync.WaitGroup
	for range c.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r := range work {
				c.process(ctx, r)
			}
		}()
	}
	defer wg.Wait()
	defer close(work)
	for {
		recs, err := c.log.Poll(ctx)
		if err != nil {
			return fmt.Errorf("consumer %s: poll: %w", c.group, err)
		}
		for _, r := range recs {
			select {
			case work <- r:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// process handles one record. A record that fails is not committed, and is
// delivered again after a restart.
func (c *Consumer) process(ctx context.Context, r Record) {
	if err := c.handle(ctx, r); err != nil {
		log.Printf("consumer %s: record %d: %v", c.group, r.Offset, err)
		return
	}
	if err := c.ack(ctx, r.Offset); err != nil {
		log.Printf("consumer %s: commit: %v", c.group, err)
	}
}

// ack notes that a record is done and commits the position.
func (c *Consumer) ack(ctx context.Context, offset int64) error {
	if !c.track.finish(offset) {
		return nil
	}
	c.commitMu.Lock()
	defer c.commitMu.Unlock()
	return c.offsets.Commit(ctx, c.group, c.track.position())
}

// Position returns the offset at which the group would resume.
func (c *Consumer) Position() int64 { return c.track.position() }
