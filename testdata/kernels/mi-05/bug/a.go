// Package a is the in-memory head of a time series database.
package a

import (
	"errors"
	"sort"
	"sync"
	"sync/atomic"
)

var (
	ErrOutOfOrder = errors.New("head: out of order sample")
	ErrOutOfBound = errors.New("head: sample too old")
	ErrLimit      = errors.New("head: too many series")
)

// Sample is one measurement.
type Sample struct {
	T int64
	V float64
}

type memSeries struct {
	ref    uint64
	labels string

	mu      sync.Mutex
	samples []Sample
	pending int // appenders that have the series but did not write yet
}

// truncate drops samples before mint and reports how many there were.
func (s *memSeries) truncate(mint int64) int {
	i := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T >= mint })
	s.samples = append([]Sample(nil), s.samples[i:]...)
	return i
}

// Head holds the newest samples of all series. The order of the locks is
// Head.mu before memSeries.mu.
type Head struct {
	limit int

	mu       sync.RWMutex
	byLabels map[string]*memSeries
	byRef    map[uint64]*memSeries
	lastRef  uint64

	minTime atomic.Int64
	created atomic.Int64
	removed atomic.Int64
	dropped atomic.Int64
}

// NewHead returns a head for at most limit series.
func NewHead(limit int) *Head {
	return &Head{
		limit:    limit,
		byLabels: make(map[string]*memSeries),
		byRef:    make(map[uint64]*memSeries),
	}
}

// take returns the series, created if need be, marked as pending.
func (h *Head) take(labels string) (*memSeries, error) {
	h.mu.RLock()
	if s, ok := h.byLabels[labels]; ok {
		s.mu.Lock()
		s.pending++
		s.mu.Unlock()
		h.mu.RUnlock()
		return s, nil
	}
	h.mu.RUnlock()

	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.byLabels[labels]
	if !ok {
		if len(h.byLabels) >= h.limit {
			return nil, ErrLimit
		}
		h.lastRef++
		s = &memSeries{ref: h.lastRef, labels: labels}
		h.byLabels[labels] = s
		h.byRef[s.ref] = s
		h.created.Add(1)
	}
	s.mu.Lock()
	s.pending++
	s.mu.Unlock()
	return s, nil
}

// Append adds a sample to the series with these labels.
func (h *Head) Append(labels string, t int64, v float64) (uint64, error) {
	// What slips through here goes with the next truncation.
	if t < h.minTime.Load() {
		return 0, ErrOutOfBound
	}
	s, err := h.take(labels)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	if n := len(s.samples); n > 0 && s.samples[n-1].T >= t {
		return 0, ErrOutOfOrder
	}
	s.samples = append(s.samples, Sample{T: t, V: v})
	return s.ref, nil
}

// Truncate forgets samples before mint, which are past the retention.
func (h *Head) Truncate(mint int64) {
	for {
		old := h.minTime.Load()
		if old >= mint {
			return
		}
		if h.minTime.CompareAndSwap(old, mint) {
			break
		}
	}
	h.gc(mint)
}

// gc shortens all series and removes those without samples.
func (h *Head) gc(mint int64) {
	h.mu.RLock()
	all := make([]*memSeries, 0, len(h.byRef))
	for _, s := range h.byRef {
		all = append(all, s)
	}
	h.mu.RUnlock()

	for _, s := range all {
		s.mu.Lock()
		h.dropped.Add(int64(s.truncate(mint)))
		idle := len(s.samples) == 0 && s.pending == 0
		s.mu.Unlock()
		if !idle {
			continue
		}
		h.mu.Lock()
		if h.byRef[s.ref] == s {
			delete(h.byRef, s.ref)
			delete(h.byLabels, s.labels)
			h.removed.Add(1)
		}
		h.mu.Unlock()
	}
}

// Select returns a copy of the samples of a series.
func (h *Head) Select(labels string) []Sample {
	h.mu.RLock()
	s := h.byLabels[labels]
	h.mu.RUnlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sample(nil), s.samples...)
}

// NumSeries is the number of series in the head.
func (h *Head) NumSeries() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.byRef)
}
