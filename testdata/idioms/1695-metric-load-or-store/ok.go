// Package a counts events by label.
package a

import (
	"sort"
	"sync"
	"sync/atomic"
)

// Counter is one monotonic count.
type Counter struct {
	label string
	n     atomic.Int64
}

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add adds n.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Value is the current count.
func (c *Counter) Value() int64 { return c.n.Load() }

// Vec has a counter per label. Counters are never removed.
type Vec struct {
	counters sync.Map // string to *Counter
}

// With returns the counter of a label.
func (v *Vec) With(label string) *Counter {
	if c, ok := v.counters.Load(label); ok {
		return c.(*Counter)
	}
	c, _ := v.counters.LoadOrStore(label, &Counter{label: label})
	return c.(*Counter)
}

// Inc counts one event.
func (v *Vec) Inc(label string) { v.With(label).Inc() }

// Add counts n events.
func (v *Vec) Add(label string, n int64) { v.With(label).Add(n) }

// Value returns the count of a label without creating it.
func (v *Vec) Value(label string) int64 {
	c, ok := v.counters.Load(label)
	if !ok {
		return 0
	}
	return c.(*Counter).Value()
}

// Labels lists the labels that were used.
func (v *Vec) Labels() []string {
	var out []string
	v.counters.Range(func(_, c any) bool {
		out = append(out, c.(*Counter).label)
		return true
	})
	sort.Strings(out)
	return out
}
