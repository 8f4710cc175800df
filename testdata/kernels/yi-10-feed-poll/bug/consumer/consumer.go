// Package consumer follows a feed.
package consumer

import (
	"context"
	"errors"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/yi-10-feed-poll/bug/feed"
)

// Consumer reads a feed from an offset on.
type Consumer struct {
	log   *feed.Log
	batch int

	mu   sync.Mutex // held by the one Poll that runs
	next uint64
}

// New returns a consumer that begins at offset.
func New(log *feed.Log, offset uint64, batch int) *Consumer {
	return &Consumer{log: log, next: offset, batch: batch}
}

// Poll returns the next records. It waits until there is at least one.
func (c *Consumer) Poll(ctx context.Context) ([]feed.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		recs, err := c.log.Read(c.next, c.batch)
		if err != nil {
			return nil, err
		}
		if n := len(recs); n > 0 {
			c.next = recs[n-1].Offset + 1
			return recs, nil
		}
		if err := c.wait(ctx); err != nil {
			return nil, err
		}
	}
}

func (c *Consumer) wait(ctx context.Context) error {
	select {
	case <-c.log.Changed():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run calls handle for all records until the feed or the context ends.
func (c *Consumer) Run(ctx context.Context, handle func(feed.Record) error) <-chan error {
	done := make(chan error, 1)
	go func() {
		for {
			recs, err := c.Poll(ctx)
			if errors.Is(err, feed.ErrClosed) {
				done <- nil
				return
			}
			if err != nil {
				done <- err
				return
			}
			for _, r := range recs {
				if err := handle(r); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	return done
}
