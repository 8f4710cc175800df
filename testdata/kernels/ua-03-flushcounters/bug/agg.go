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

// Points returns the deltas collected since the last flush, sorted by series.
func (a *Aggregator) Points() []Point {
	a.mu.Lock()
	out := make([]Point, 0, len(a.cells))
	for k, c := range a.cells {
		out = append(out, Point{Series: k, Count: c.count, Sum: c.sum})
	}
	a.mu.Unlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Series < out[j].Series })
	return out
}

func (a *Aggregator) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.cells)
}

// Flush sends the collected deltas. If the sink fails they are kept for the
// next interval.
func (a *Aggregator) Flush(ctx context.Context) error {
	points := a.Points()
	if len(points) == 0 {
		return nil
	}
	if err := a.sink.Send(ctx, points); err != nil {
		return err
	}
	a.reset()
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
