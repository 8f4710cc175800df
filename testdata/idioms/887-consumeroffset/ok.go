// Package consumer reads one partition of the event log and keeps its offset.
package consumer

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Record is one entry of the partition.
type Record struct {
	Offset int64
	Value  []byte
}

// Source reads records from an offset on. It blocks for a while when there
// are none.
type Source interface {
	Fetch(ctx context.Context, from int64, limit int) ([]Record, error)
}

// Progress is what the status page shows.
type Progress struct {
	Next    int64
	Handled int64
	LastErr error
}

// Consumer runs a handler on each record.
type Consumer struct {
	source Source
	handle func(Record) error
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.RWMutex
	progress Progress
}

// Start begins consumption at offset from.
func Start(source Source, from int64, handle func(Record) error) *Consumer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Consumer{
		source:   source,
		handle:   handle,
		cancel:   cancel,
		done:     make(chan struct{}),
		progress: Progress{Next: from},
	}
	go c.loop(ctx)
	return c
}

// Progress returns how far the consumer is. The status page calls it at any
// time.
func (c *Consumer) Progress() Progress {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.progress
}

// record replaces the progress. Only loop's goroutine calls it.
func (c *Consumer) record(p Progress) {
	c.mu.Lock()
	c.progress = p
	c.mu.Unlock()
}

func (c *Consumer) loop(ctx context.Context) {
	defer close(c.done)
	for ctx.Err() == nil {
		if err := c.step(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("consumer: step failed", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// step handles one batch.
func (c *Consumer) step(ctx context.Context) error {
	p := c.Progress()
	p.LastErr = nil
	batch, err := c.source.Fetch(ctx, p.Next, 100)
	if err == nil {
		for _, r := range batch {
			if err = c.handle(r); err != nil {
				break
			}
			p.Next = r.Offset + 1
			p.Handled++
		}
	}
	p.LastErr = err
	c.record(p)
	return err
}

// Stop ends consumption and returns the offset to start from next time.
func (c *Consumer) Stop() int64 {
	c.cancel()
	<-c.done
	return c.Progress().Next
}
