// Package a sends the issues of a newsletter.
package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrCancelled = errors.New("newsletter: campaign is cancelled")

const (
	running int32 = iota
	cancelled
)

// Mailer delivers one copy of the issue.
type Mailer interface {
	Deliver(ctx context.Context, addr string) error
}

// Campaign is the dispatch of one issue. It cancels itself when too many
// addresses bounce.
type Campaign struct {
	mailer Mailer
	limit  int64
	queue  chan string
	done   chan struct{}

	state   atomic.Int32
	sent    atomic.Int64
	bounces atomic.Int64
}

// NewCampaign returns a campaign that tolerates limit bounces.
func NewCampaign(m Mailer, limit int64) *Campaign {
	return &Campaign{
		mailer: m,
		limit:  limit,
		queue:  make(chan string),
		done:   make(chan struct{}),
	}
}

// Enqueue hands an address to the workers.
func (c *Campaign) Enqueue(ctx context.Context, addr string) error {
	select {
	case c.queue <- addr:
		return nil
	case <-c.done:
		return ErrCancelled
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run delivers with n workers until the campaign is cancelled or ctx ends.
func (c *Campaign) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { c.work(ctx) })
	}
	wg.Wait()
}

func (c *Campaign) work(ctx context.Context) {
	for {
		select {
		case addr := <-c.queue:
			if err := c.mailer.Deliver(ctx, addr); err != nil {
				c.bounced()
				continue
			}
			c.sent.Add(1)
		case <-c.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *Campaign) bounced() {
	if c.bounces.Add(1) > c.limit {
		c.Cancel()
	}
}

// Cancel stops the campaign. The editor may call it at any time.
func (c *Campaign) Cancel() {
	if !c.state.CompareAndSwap(running, cancelled) {
		return
	}
	close(c.done)
}

// Cancelled reports whether the campaign was stopped.
func (c *Campaign) Cancelled() bool {
	return c.state.Load() == cancelled
}

// Sent returns the number of delivered copies.
func (c *Campaign) Sent() int64 {
	return c.sent.Load()
}
