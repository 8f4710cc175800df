// Package tsdb keeps recent samples in memory.
package tsdb

import "sync"

// Sample is a value at a time.
type Sample struct {
	T int64
	V float64
}

type memSeries struct {
	mtx     sync.Mutex
	samples []Sample // in the order of their times, not changed once appended
}

// Head is safe for concurrent use.
type Head struct {
	tombstones *MemTombstones

	mtx    sync.RWMutex
	series map[uint64]*memSeries
}

// NewHead returns an empty head.
func NewHead() *Head {
	return &Head{tombstones: NewMemTombstones(), series: make(map[uint64]*memSeries)}
}

func (h *Head) get(ref uint64) *memSeries {
	h.mtx.RLock()
	s := h.series[ref]
	h.mtx.RUnlock()
	if s != nil {
		return s
	}
	h.mtx.Lock()
	defer h.mtx.Unlock()
	if h.series[ref] == nil {
		h.series[ref] = &memSeries{}
	}
	return h.series[ref]
}

// Append adds a sample. Samples that are too old are ignored.
func (h *Head) Append(ref uint64, t int64, v float64) {
	s := h.get(ref)
	s.mtx.Lock()
	defer s.mtx.Unlock()
	if n := len(s.samples); n == 0 || s.samples[n-1].T < t {
		s.samples = append(s.samples, Sample{t, v})
	}
}

// Delete deletes the samples of a series in a range.
func (h *Head) Delete(ref uint64, mint, maxt int64) {
	h.tombstones.AddInterval(ref, Interval{mint, maxt})
}

// Querier returns an iterator over the samples of a series that are there now,
// without those that are deleted.
func (h *Head) Querier(ref uint64) *DeletedIterator {
	s := h.get(ref)
	s.mtx.Lock()
	samples := s.samples
	s.mtx.Unlock()
	return &DeletedIterator{samples: samples, intervals: h.tombstones.Get(ref)}
}

// DeletedIterator skips deleted samples.
type DeletedIterator struct {
	samples   []Sample
	intervals Intervals
}

// Next returns the next sample.
func (it *DeletedIterator) Next() (s Sample, ok bool) {
Outer:
	for len(it.samples) > 0 {
		s, it.samples = it.samples[0], it.samples[1:]
		for _, tr := range it.intervals {
			if tr.Mint <= s.T && s.T <= tr.Maxt {
				continue Outer
			}
			if s.T <= tr.Maxt {
				return s, true
			}
			it.intervals = it.intervals[1:]
		}
		return s, true
	}
	return Sample{}, false
}
