// Package counters provides sharded counters that are exported as deltas.
package counters

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const shards = 16

type shard struct {
	n atomic.Uint64
	_ [56]byte
}

// Counter is a counter for hot paths.
type Counter struct {
	name   string
	shards [shards]shard
}

// Add increases the counter.
func (c *Counter) Add(n uint64) {
	c.shards[rand.IntN(shards)].n.Add(n)
}

// take returns what was added since the last take.
func (c *Counter) take() uint64 {
	var sum uint64
	for i := range c.shards {
		s := &c.shards[i]
		if s.n.Load() == 0 {
			continue
		}
		sum += s.n.Swap(0)
	}
	return sum
}

// Delta is the increase of one counter.
type Delta struct {
	Name string
	N    uint64
}

// Exporter delivers deltas. A failed call has delivered nothing.
type Exporter interface {
	Export(ctx context.Context, deltas []Delta) error
}

// Registry holds the counters of a process.
type Registry struct {
	mu       sync.Mutex
	counters map[string]*Counter
}

// Counter returns the counter called name, creating it on first use.
func (r *Registry) Counter(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.counters[name]
	if !ok {
		if r.counters == nil {
			r.counters = make(map[string]*Counter)
		}
		c = &Counter{name: name}
		r.counters[name] = c
	}
	return c
}

func (r *Registry) all() []*Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Counter, 0, len(r.counters))
	for _, c := range r.counters {
		out = append(out, c)
	}
	return out
}

// Flush exports the deltas since the last flush. Deltas that could not be
// exported are part of the next flush.
func (r *Registry) Flush(ctx context.Context, ex Exporter) error {
	var deltas []Delta
	for _, c := range r.all() {
		if n := c.take(); n > 0 {
			deltas = append(deltas, Delta{Name: c.name, N: n})
		}
	}
	if len(deltas) == 0 {
		return nil
	}
	sort.Slice(deltas, func(i, j int) bool { return deltas[i].Name < deltas[j].Name })
	if err := ex.Export(ctx, deltas); err != nil {
		for _, d := range deltas {
			r.Counter(d.Name).Add(d.N)
		}
		return err
	}
	return nil
}

// Run flushes every interval until ctx ends.
func (r *Registry) Run(ctx context.Context, ex Exporter, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := r.Flush(ctx, ex); err != nil {
				slog.Warn("export failed", "err", err)
			}
		}
	}
}
