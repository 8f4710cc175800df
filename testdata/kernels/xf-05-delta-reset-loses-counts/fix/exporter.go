// Package delta exports counters with delta temporality: every batch carries
// what has been counted since the batch before.
package delta

import (
	"context"
	"log"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Counter is a monotonic counter. It is safe for concurrent use.
type Counter struct {
	name    string
	pending atomic.Int64 // not exported yet
}

// Add counts n events.
func (c *Counter) Add(n int64) { c.pending.Add(n) }

// Inc counts one event.
func (c *Counter) Inc() { c.pending.Add(1) }

// Registry holds the counters of the process.
type Registry struct {
	mu       sync.RWMutex
	counters map[string]*Counter
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{counters: make(map[string]*Counter)}
}

// Counter returns the named counter and creates it if need be.
func (r *Registry) Counter(name string) *Counter {
	r.mu.RLock()
	c, ok := r.counters[name]
	r.mu.RUnlock()
	if ok {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.counters[name]; ok {
		return c
	}
	c = &Counter{name: name}
	r.counters[name] = c
	return c
}

// all returns the counters in the order of their names. Counters are never
// removed.
func (r *Registry) all() []*Counter {
	r.mu.RLock()
	defer r.mu.RUnlock()
	cs := make([]*Counter, 0, len(r.counters))
	for _, c := range r.counters {
		cs = append(cs, c)
	}
	sort.Slice(cs, func(i, j int) bool { return cs[i].name < cs[j].name })
	return cs
}

// Point is one exported value.
type Point struct {
	Name  string
	Delta int64

	source *Counter
}

// Sink delivers a batch to the collector. An error means that nothing has
// been accepted.
type Sink interface {
	Send(ctx context.Context, batch []Point) error
}

// Exporter ships the counters of a registry.
type Exporter struct {
	reg   *Registry
	sink  Sink
	every time.Duration

	flushMu sync.Mutex // one batch at a time
	sent    int
}

// NewExporter returns an exporter. Run must be called to start it.
func NewExporter(reg *Registry, sink Sink, every time.Duration) *Exporter {
	return &Exporter{reg: reg, sink: sink, every: every}
}

// Run exports a batch per interval until ctx ends.
func (e *Exporter) Run(ctx context.Context) {
	t := time.NewTicker(e.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := e.Flush(ctx); err != nil {
				log.Printf("delta: export: %v", err)
			}
		}
	}
}

// Flush exports what has been counted so far. After an error the counts are
// part of the next batch.
func (e *Exporter) Flush(ctx context.Context) error {
	e.flushMu.Lock()
	defer e.flushMu.Unlock()
	batch := e.gather()
	if len(batch) == 0 {
		return nil
	}
	if err := e.sink.Send(ctx, batch); err != nil {
		return err
	}
	e.settle(batch)
	e.sent += len(batch)
	return nil
}

// gather returns a point for each counter that has moved.
func (e *Exporter) gather() []Point {
	var batch []Point
	for _, c := range e.reg.all() {
		if d := c.pending.Load(); d != 0 {
			batch = append(batch, Point{Name: c.name, Delta: d, source: c})
		}
	}
	return batch
}

// settle accounts for a batch that has been delivered.
func (e *Exporter) settle(batch []Point) {
	for _, p := range batch {
		p.source.pending.Add(-p.Delta)
	}
}

// Sent returns the number of points delivered.
func (e *Exporter) Sent() int {
	e.flushMu.Lock()
	defer e.flushMu.Unlock()
	return e.sent
}
