package a

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Point is the aggregate of one series within a flush interval.
type Point struct {
	Count uint64
	Sum   float64
	Max   float64
}

func (p *Point) add(v float64) {
	if p.Count == 0 || v > p.Max {
		p.Max = v
	}
	p.Count++
	p.Sum += v
}

func (p *Point) merge(q Point) {
	if p.Count == 0 || q.Max > p.Max {
		p.Max = q.Max
	}
	p.Count += q.Count
	p.Sum += q.Sum
}

// Sink ships a batch to the metrics backend, which adds it up.
type Sink interface {
	Write(ctx context.Context, batch map[string]Point) error
}

// Aggregator sums samples up and ships them every interval.
type Aggregator struct {
	sink     Sink
	interval time.Duration
	failures atomic.Int64

	mu     sync.Mutex
	series map[string]*Point
}

func NewAggregator(sink Sink, interval time.Duration) *Aggregator {
	return &Aggregator{sink: sink, interval: interval, series: make(map[string]*Point)}
}

// Observe records one sample.
func (a *Aggregator) Observe(name string, v float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.point(name).add(v)
}

// point is called with a.mu held.
func (a *Aggregator) point(name string) *Point {
	p, ok := a.series[name]
	if !ok {
		p = new(Point)
		a.series[name] = p
	}
	return p
}

func (a *Aggregator) take() map[string]Point {
	a.mu.Lock()
	defer a.mu.Unlock()
	batch := make(map[string]Point, len(a.series))
	for name, p := range a.series {
		batch[name] = *p
	}
	clear(a.series)
	return batch
}

// Merge takes over points which another process aggregated.
func (a *Aggregator) Merge(batch map[string]Point) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, q := range batch {
		a.point(name).merge(q)
	}
}

// Flush ships what was collected. The samples are kept when the sink fails.
func (a *Aggregator) Flush(ctx context.Context) error {
	batch := a.take()
	if len(batch) == 0 {
		return nil
	}
	if err := a.sink.Write(ctx, batch); err != nil {
		a.failures.Add(1)
		a.Merge(batch)
		return err
	}
	return nil
}

// Run flushes until ctx ends.
func (a *Aggregator) Run(ctx context.Context) {
	tick := time.NewTicker(a.interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := a.Flush(ctx); err != nil {
				log.Printf("flush: %v", err)
			}
		}
	}
}
