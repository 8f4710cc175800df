package a

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Series is one counter with fixed label values.
type Series struct {
	labels string
	n      atomic.Uint64
}

// Inc counts one event.
func (s *Series) Inc() { s.n.Add(1) }

// family is a metric with all of its series. Series are never removed.
type family struct {
	name   string
	labels []string

	mu     sync.RWMutex
	series map[string]*Series
}

// find returns a series that exists already, or nil.
func (f *family) find(key string) *Series {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.series[key]
}

// intern returns the series of a key and makes it on first use.
func (f *family) intern(key string) *Series {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.series[key]; s != nil {
		return s
	}
	s := &Series{labels: key}
	f.series[key] = s
	return s
}

// CounterVec is a counter that is split by labels.
type CounterVec struct {
	family
}

// NewCounterVec makes a counter with the given label names.
func NewCounterVec(name string, labels ...string) *CounterVec {
	return &CounterVec{family{
		name:   name,
		labels: slices.Clone(labels),
		series: make(map[string]*Series),
	}}
}

// With returns the series with the given label values. It is on the path of
// each request, so the common case gets by with the read lock.
func (v *CounterVec) With(values ...string) *Series {
	if len(values) != len(v.labels) {
		panic(fmt.Sprintf("%s: want %d label values, got %d", v.name, len(v.labels), len(values)))
	}
	var sb strings.Builder
	for i, name := range v.labels {
		if i > 0 {
			sb.WriteByte(',')
		}
		fmt.Fprintf(&sb, "%s=%q", name, values[i])
	}
	key := sb.String()
	s := v.find(key)
	if s == nil {
		s = v.intern(key)
	}
	return s
}

// Write renders the series by label. Each value is read on its own; a scrape
// is no snapshot of all counters at one moment.
func (v *CounterVec) Write(sb *strings.Builder) {
	v.mu.RLock()
	all := make([]*Series, 0, len(v.series))
	for _, s := range v.series {
		all = append(all, s)
	}
	v.mu.RUnlock()
	slices.SortFunc(all, func(a, b *Series) int { return strings.Compare(a.labels, b.labels) })
	for _, s := range all {
		fmt.Fprintf(sb, "%s{%s} %d\n", v.name, s.labels, s.n.Load())
	}
}
