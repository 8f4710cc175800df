package tsdb

import (
	"errors"
	"math"
	"sync"
)

var errOutOfOrder = errors.New("out of order sample")

const staleNaN uint64 = 0x7ff0000000000002

func isStaleNaN(v float64) bool { return math.Float64bits(v) == staleNaN }

type histogram struct {
	sum     float64
	buckets []int64
}

type sample struct {
	t int64
	v float64
	h *histogram
}

type memSeries struct {
	ref uint64

	sync.Mutex
	lastTs        int64
	lastValue     float64
	lastHistogram *histogram
	samples       []sample
}

// Series lock must be held.
func (s *memSeries) append(t int64, v float64) error {
	if t <= s.lastTs {
		return errOutOfOrder
	}
	s.lastTs, s.lastValue, s.lastHistogram = t, v, nil
	s.samples = append(s.samples, sample{t: t, v: v})
	return nil
}

// Series lock must be held.
func (s *memSeries) appendHistogram(t int64, h *histogram) error {
	if t <= s.lastTs {
		return errOutOfOrder
	}
	s.lastTs, s.lastHistogram = t, h
	s.samples = append(s.samples, sample{t: t, h: h})
	return nil
}

type head struct {
	mu     sync.RWMutex
	series map[uint64]*memSeries
}

func newHead() *head {
	return &head{series: make(map[uint64]*memSeries)}
}

func (h *head) getOrCreate(ref uint64) *memSeries {
	h.mu.RLock()
	s := h.series[ref]
	h.mu.RUnlock()
	if s != nil {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.series[ref]; s != nil {
		return s
	}
	s = &memSeries{ref: ref, lastTs: math.MinInt64}
	h.series[ref] = s
	return s
}

type headAppender struct {
	head    *head
	minTime int64
}

func (h *head) appender(minTime int64) *headAppender {
	return &headAppender{head: h, minTime: minTime}
}

func (a *headAppender) Append(ref uint64, t int64, v float64) error {
	if t < a.minTime {
		return errOutOfOrder
	}
	s := a.head.getOrCreate(ref)
	s.Lock()
	defer s.Unlock()
	if isStaleNaN(v) && s.lastHistogram != nil {
		// The marker has to be of the type of the series.
		return s.appendHistogram(t, &histogram{sum: v})
	}
	return s.append(t, v)
}

func (a *headAppender) AppendHistogram(ref uint64, t int64, h *histogram) error {
	if t < a.minTime {
		return errOutOfOrder
	}
	s := a.head.getOrCreate(ref)
	s.Lock()
	defer s.Unlock()
	return s.appendHistogram(t, h)
}

// stale reports whether the series ended at its last sample.
func (s *memSeries) stale() bool {
	s.Lock()
	defer s.Unlock()
	if s.lastHistogram != nil {
		return isStaleNaN(s.lastHistogram.sum)
	}
	return isStaleNaN(s.lastValue)
}
