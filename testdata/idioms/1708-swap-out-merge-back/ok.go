package a

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Push sends counter increments to the metrics server.
type Push func(ctx context.Context, deltas map[string]int64) error

// Counters sums increments between two pushes.
type Counters struct {
	push Push

	mu     sync.Mutex
	deltas map[string]int64
	failed int
}

// NewCounters returns counters that are pushed by Run or Flush.
func NewCounters(push Push) *Counters {
	return &Counters{push: push, deltas: make(map[string]int64)}
}

// Add raises a counter.
func (c *Counters) Add(name string, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deltas[name] += n
}

// take returns the increments so far and starts over.
func (c *Counters) take() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.deltas
	c.deltas = make(map[string]int64, len(out))
	return out
}

// restore adds increments that could not be pushed.
func (c *Counters) restore(deltas map[string]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range deltas {
		c.deltas[name] += n
	}
	c.failed++
}

// Flush pushes the increments. It may be called by several goroutines.
func (c *Counters) Flush(ctx context.Context) error {
	deltas := c.take()
	if len(deltas) == 0 {
		return nil
	}
	if err := c.push(ctx, deltas); err != nil {
		c.restore(deltas)
		return fmt.Errorf("push %d counters: %w", len(deltas), err)
	}
	return nil
}

// Run flushes every interval until ctx ends.
func (c *Counters) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			_ = c.Flush(ctx)
		}
	}
}

// Failed returns the number of pushes that failed.
func (c *Counters) Failed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}
