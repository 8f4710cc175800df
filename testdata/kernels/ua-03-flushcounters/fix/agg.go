// Package agg aggregates counter samples in memory and forwards the deltas to
// a sink in regular intervals.
package agg

import (
	"context"
	"log/slog"
	"sort"
	"strings"
	"sync"
	"time"
)

// Sink receives the deltas of one interval.
type Sink interface {
	Send(ctx context.Context, points []Point) error
}

// Point is the delta of one series.
type Point struct {
	Series string
	Count  uint64
	Sum    float64
}

type cell struct {
	count uint64
	sum   float64
}

// Aggregator collects samples between flushes.
type Aggregator struct {
	sink Sink

	mu    sync.Mutex
	cells map[string]cell
}

// New returns an aggregator that forwards to sink.
func New(sink Sink) *Aggregator {
	return &Aggregator{sink: sink, cells: make(map[string]cell)}
}

// Observe adds a sample to the series given by name and tags.
func (a *Aggregator) Observe(name string, v float64, tags ...string) {
	key := seriesKey(name, tags)
	a.mu.Lock()
	c := a.cells[key]
	c.count++
	c.sum += v
	a.cells[key] = c
	a.mu.Unlock()
}

// drain takes the deltas collected since the last flush, sorted by series.
func (a *Aggregator) drain() []Point {
	a.mu.Lock()
	out := make([]Point, 0, len(a.cells))
	for k, c := range a.cells {
		out = append(out, Point{Series: k, Count: c.count, Sum: c.sum})
	}
	clear(a.cells)
	a.mu.Unlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Series < out[j].Series })
	return out
}

func (a *Aggregator) restore(points []Point) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range points {
		c := a.cells[p.Series]
		c.count += p.Count
		c.sum += p.Sum
		a.cells[p.Series] = c
	}
}

// Flush sends the collected deltas. If the sink fails they are kept for the
// next interval.
func (a *Aggregator) Flush(ctx context.Context) error {
	points := a.drain()
	if len(points) == 0 {
		return nil
	}
	if err := a.sink.Send(ctx, points); err != nil {
		a.restore(points)
		return err
	}
	return nil
}

// Run flushes every interval until ctx ends, and once more after that.
func (a *Aggregator) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := a.Flush(ctx); err != nil {
				slog.Warn("metrics flush failed", "err", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			if err := a.Flush(last); err != nil {
				slog.Warn("final metrics flush failed", "err", err)
			}
			cancel()
			return
		}
	}
}

func seriesKey(name string, tags []string) string {
	if len(tags) == 0 {
		return name
	}
	sorted := append([]string(nil), tags...)
	sort.Strings(sorted)
	return name + "{" + strings.Join(sorted, ",") + "}"
}
