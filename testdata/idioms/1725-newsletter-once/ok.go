// Package a sends the issues of a newsletter.
package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrStarted   = errors.New("newsletter: campaign was started")
	ErrCancelled = errors.New("newsletter: campaign is cancelled")
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

	started   atomic.Bool
	cancelled atomic.Bool
	once      sync.Once
	stop      chan struct{}

	sent    atomic.Int64
	bounces atomic.Int64
}

// NewCampaign returns a campaign that tolerates limit bounces.
func NewCampaign(m Mailer, limit int64) *Campaign {
	return &Campaign{mailer: m, limit: limit, stop: make(chan struct{})}
}

// Start delivers to all addresses with n workers and waits for them. A
// campaign can be started once.
func (c *Campaign) Start(ctx context.Context, addrs []string, n int) error {
	if c.cancelled.Load() {
		return ErrCancelled
	}
	if !c.started.CompareAndSwap(false, true) {
		return ErrStarted
	}

	queue := make(chan string)
	var wg sync.WaitGroup
	for range max(n, 1) {
		wg.Go(func() {
			for addr := range queue {
				c.deliver(ctx, addr)
			}
		})
	}
	err := c.feed(ctx, queue, addrs)
	close(queue)
	wg.Wait()
	return err
}

// feed is the only sender on the queue. Once the campaign is cancelled at
// most one more address follows.
func (c *Campaign) feed(ctx context.Context, queue chan<- string, addrs []string) error {
	for _, addr := range addrs {
		if c.cancelled.Load() {
			return ErrCancelled
		}
		select {
		case queue <- addr:
		case <-c.stop:
			return ErrCancelled
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *Campaign) deliver(ctx context.Context, addr string) {
	if err := c.mailer.Deliver(ctx, addr); err != nil {
		if c.bounces.Add(1) > c.limit {
			c.Cancel()
		}
		return
	}
	c.sent.Add(1)
}

// Cancel stops the campaign. The editor may call it at any time.
func (c *Campaign) Cancel() {
	if c.cancelled.Load() {
		return
	}
	c.once.Do(func() {
		c.cancelled.Store(true)
		close(c.stop)
	})
}

// Sent returns the number of delivered copies.
func (c *Campaign) Sent() int64 {
	return c.sent.Load()
}
