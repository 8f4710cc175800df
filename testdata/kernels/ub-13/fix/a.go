package a

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Click is one event of a web page.
type Click struct {
	Page string
	At   time.Time
}

// Sink stores batches of events.
type Sink interface {
	Write(ctx context.Context, batch []Click) error
}

// Collector gathers clicks and writes them in batches.
type Collector struct {
	sink Sink

	mu      sync.Mutex
	pending []Click

	wg   sync.WaitGroup
	stop context.CancelFunc
}

// Start returns a collector that writes every interval.
func Start(sink Sink, interval time.Duration) *Collector {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Collector{sink: sink, stop: cancel}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.loop(ctx, interval)
	}()
	return c
}

func (c *Collector) loop(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			// a failed batch is kept for the next turn
			_ = c.flush(ctx)
		}
	}
}

// Track adds a click. The page handlers call it.
func (c *Collector) Track(page string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, Click{Page: page, At: time.Now()})
}

// Pending returns the number of clicks that are not yet written.
func (c *Collector) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// flush writes what is pending; it runs on the collector's goroutine.
func (c *Collector) flush(ctx context.Context) error {
	c.mu.Lock()
	batch := slices.Clone(c.pending)
	c.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	if err := c.sink.Write(ctx, batch); err != nil {
		return fmt.Errorf("write %d clicks: %w", len(batch), err)
	}

	c.mu.Lock()
	c.pending = c.pending[len(batch):]
	c.mu.Unlock()
	return nil
}

// Close ends the loop and writes the rest. It must be called once.
func (c *Collector) Close(ctx context.Context) error {
	c.stop()
	c.wg.Wait()
	return c.flush(ctx)
}
