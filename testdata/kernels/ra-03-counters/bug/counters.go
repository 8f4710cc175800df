// Package counters aggregates counters and ships deltas to a sink.
package counters

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Sample is the growth of one counter since the last report.
type Sample struct {
	Name  string
	Delta int64
}

// Sink receives reports.
type Sink interface {
	Send(ctx context.Context, batch []Sample) error
}

// Counter counts events.
type Counter struct {
	name string
	n    atomic.Int64
}

// Add adds d.
func (c *Counter) Add(d int64) { c.n.Add(d) }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Registry owns the counters of a process.
type Registry struct {
	sink  Sink
	mu    sync.RWMutex
	byKey map[string]*Counter
}

// NewRegistry returns an empty registry.
func NewRegistry(sink Sink) *Registry {
	return &Registry{sink: sink, byKey: make(map[string]*Counter)}
}

// Counter returns the counter called name, creating it if needed.
func (r *Registry) Counter(name string) *Counter {
	r.mu.RLock()
	c := r.byKey[name]
	r.mu.RUnlock()
	if c != nil {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c = r.byKey[name]; c == nil {
		c = &Counter{name: name}
		r.byKey[name] = c
	}
	return c
}

// Run reports every interval and once more when ctx ends.
func (r *Registry) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			r.report(ctx)
		case <-ctx.Done():
			final, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			r.report(final)
			cancel()
			return
		}
	}
}

func (r *Registry) report(ctx context.Context) {
	batch := r.drain()
	if len(batch) == 0 {
		return
	}
	if err := r.sink.Send(ctx, batch); err != nil {
		log.Printf("counters: send %d samples: %v", len(batch), err)
		r.restore(batch)
	}
}

func (r *Registry) drain() []Sample {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var batch []Sample
	for name, c := range r.byKey {
		d := c.n.Load()
		if d == 0 {
			continue
		}
		c.n.Store(0)
		batch = append(batch, Sample{Name: name, Delta: d})
	}
	return batch
}

func (r *Registry) restore(batch []Sample) {
	for _, s := range batch {
		r.Counter(s.Name).Add(s.Delta)
	}
}
