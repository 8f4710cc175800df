// Package exposure counts which variants of experiments users have seen.
package exposure

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Key names one variant of one experiment.
type Key struct {
	Experiment, Variant string
}

// Row is a count to be reported.
type Row struct {
	Key
	Count int64
}

// Sink takes reports.
type Sink interface {
	Report(ctx context.Context, rows []Row) error
}

// Counter counts exposures.
type Counter struct {
	sink Sink
	last atomic.Int64 // time of the last report, for the status page

	mu     sync.RWMutex
	counts map[Key]*atomic.Int64

	cancel context.CancelFunc
	done   chan struct{}
}

// Start returns a counter that reports every period.
func Start(sink Sink, period time.Duration) *Counter {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Counter{
		sink:   sink,
		counts: make(map[Key]*atomic.Int64),
		cancel: cancel,
		done:   make(chan struct{}),
	}
	go c.loop(ctx, period)
	return c
}

// Seen counts one exposure.
func (c *Counter) Seen(experiment, variant string) {
	c.slot(Key{experiment, variant}).Add(1)
}

func (c *Counter) slot(k Key) *atomic.Int64 {
	c.mu.RLock()
	n := c.counts[k]
	c.mu.RUnlock()
	if n != nil {
		return n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.counts[k]
	if !ok {
		n = new(atomic.Int64)
		c.counts[k] = n
	}
	return n
}

func (c *Counter) loop(ctx context.Context, period time.Duration) {
	defer close(c.done)
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.report(ctx)
		case <-ctx.Done():
			final, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			c.report(final)
			cancel()
			return
		}
	}
}

func (c *Counter) pending() []Row {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var rows []Row
	for k, n := range c.counts {
		if v := n.Load(); v > 0 {
			rows = append(rows, Row{k, v})
		}
	}
	return rows
}

func (c *Counter) report(ctx context.Context) {
	rows := c.pending()
	if len(rows) == 0 {
		return
	}
	if err := c.sink.Report(ctx, rows); err != nil {
		slog.Warn("exposures not reported", "rows", len(rows), "err", err)
		return
	}
	for _, r := range rows {
		c.slot(r.Key).Add(-r.Count)
	}
	c.last.Store(time.Now().Unix())
}

// Status returns the number of unreported exposures and the time of the last
// report.
func (c *Counter) Status() (unreported int64, last time.Time) {
	for _, r := range c.pending() {
		unreported += r.Count
	}
	return unreported, time.Unix(c.last.Load(), 0)
}

// Close reports what is left. Seen must not be called any more.
func (c *Counter) Close() {
	c.cancel()
	<-c.done
}
