// Package series is the counter registry of a metrics agent. Requests of the
// ingest endpoint add to counters; a background loop pushes their cumulative
// values and forgets the counters that nobody uses any more.
package series

import (
	"context"
	"log"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Labels identify a counter of a metric.
type Labels map[string]string

// Key returns the identity of the counter of a metric with these labels.
func (l Labels) Key(metric string) string {
	names := make([]string, 0, len(l))
	for n := range l {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString(metric)
	for _, n := range names {
		b.WriteString("\x00" + n + "\x01" + l[n])
	}
	return b.String()
}

// counter is a cumulative value and the time of its last change.
type counter struct {
	value   atomic.Int64
	touched atomic.Int64 // unix nanoseconds
}

func (c *counter) add(delta int64) {
	c.value.Add(delta)
	c.touched.Store(time.Now().UnixNano())
}

func (c *counter) idleSince(cutoff time.Time) bool {
	return c.touched.Load() < cutoff.UnixNano()
}

// Sample is the value of a counter at the time of a push.
type Sample struct {
	Key   string
	Value int64
}

// Pusher sends samples to the backend.
type Pusher interface {
	Push(ctx context.Context, samples []Sample) error
}

// Registry holds the counters. It is safe for concurrent use.
type Registry struct {
	ttl time.Duration

	mu       sync.RWMutex
	counters map[string]*counter
}

// NewRegistry returns a registry that forgets counters which did not change
// for the given time.
func NewRegistry(ttl time.Duration) *Registry {
	return &Registry{ttl: ttl, counters: make(map[string]*counter)}
}

// Add adds to a counter and creates it when there is none.
func (r *Registry) Add(key string, delta int64) {
	r.mu.RLock()
	if c, ok := r.counters[key]; ok {
		c.add(delta)
		r.mu.RUnlock()
		return
	}
	r.mu.RUnlock()

	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.counters[key]
	if !ok {
		c = &counter{}
		r.counters[key] = c
	}
	c.add(delta)
}

// Samples returns the current values in the order of their keys.
func (r *Registry) Samples() []Sample {
	r.mu.RLock()
	out := make([]Sample, 0, len(r.counters))
	for key, c := range r.counters {
		out = append(out, Sample{Key: key, Value: c.value.Load()})
	}
	r.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

// Len returns the number of counters.
func (r *Registry) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.counters)
}

// Sweep forgets the idle counters and returns how many there were. Looking
// for them takes a while on large registries, so it is done next to the
// requests; only the removal stops them.
func (r *Registry) Sweep(now time.Time) int {
	cutoff := now.Add(-r.ttl)

	var idle []string
	r.mu.RLock()
	for key, c := range r.counters {
		if c.idleSince(cutoff) {
			idle = append(idle, key)
		}
	}
	r.mu.RUnlock()
	if len(idle) == 0 {
		return 0
	}

	dropped := 0
	r.mu.Lock()
	for _, key := range idle {
		if _, ok := r.counters[key]; ok {
			delete(r.counters, key)
			dropped++
		}
	}
	r.mu.Unlock()
	return dropped
}

// Run pushes the counters at an interval and sweeps the registry until ctx is
// done.
func (r *Registry) Run(ctx context.Context, p Pusher, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := p.Push(ctx, r.Samples()); err != nil {
				log.Printf("series: push: %v", err)
				continue
			}
			if n := r.Sweep(now); n > 0 {
				log.Printf("series: forgot %d idle counters", n)
			}
		}
	}
}
