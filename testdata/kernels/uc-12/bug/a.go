package a

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter counts events since the last push.
type Counter struct {
	name string
	v    atomic.Int64
}

// Inc counts one event.
func (c *Counter) Inc() { c.v.Add(1) }

// Add counts n events.
func (c *Counter) Add(n int64) { c.v.Add(n) }

// Value returns what has not been pushed.
func (c *Counter) Value() int64 { return c.v.Load() }

// Sample is a counter as it goes over the wire.
type Sample struct {
	Name  string
	Delta int64

	counter *Counter
}

// Gateway receives deltas and sums them up.
type Gateway interface {
	Send(ctx context.Context, batch []Sample) error
}

// Registry owns the counters of a process and pushes them to a gateway.
type Registry struct {
	gw Gateway

	mu       sync.Mutex
	counters map[string]*Counter

	pushMu sync.Mutex
	pushes atomic.Int64
}

// NewRegistry makes a registry without counters.
func NewRegistry(gw Gateway) *Registry {
	return &Registry{gw: gw, counters: make(map[string]*Counter)}
}

// Counter returns the counter of that name, making it on first use.
func (r *Registry) Counter(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.counters[name]
	if !ok {
		c = &Counter{name: name}
		r.counters[name] = c
	}
	return c
}

// gather lists the counters that moved, by name.
func (r *Registry) gather() []Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	var batch []Sample
	for _, c := range r.counters {
		if n := c.v.Load(); n != 0 {
			batch = append(batch, Sample{Name: c.name, Delta: n, counter: c})
		}
	}
	slices.SortFunc(batch, func(a, b Sample) int { return cmp.Compare(a.Name, b.Name) })
	return batch
}

// Push sends what was counted. When the gateway cannot be reached, the
// counts are kept for the next push.
func (r *Registry) Push(ctx context.Context) error {
	r.pushMu.Lock()
	defer r.pushMu.Unlock()
	batch := r.gather()
	if len(batch) == 0 {
		return nil
	}
	if err := r.gw.Send(ctx, batch); err != nil {
		return fmt.Errorf("push %d samples: %w", len(batch), err)
	}
	r.settle(batch)
	r.pushes.Add(1)
	return nil
}

// settle takes what was sent off the counters.
func (r *Registry) settle(batch []Sample) {
	for _, s := range batch {
		s.counter.v.Store(0)
	}
}

// Pushes counts the successful pushes.
func (r *Registry) Pushes() int64 { return r.pushes.Load() }
