// Package fix is the in-memory part of a time series database.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrOutOfOrder is returned for samples that are older than the last one.
var ErrOutOfOrder = errors.New("head: out of order sample")

// Sample is a value at a time.
type Sample struct {
	T int64
	V float64
}

// memSeries is a series in memory.
type memSeries struct {
	ref    uint64
	labels string

	mu      sync.Mutex
	samples []Sample
	pending int // appenders that have samples to commit
}

// truncateBefore drops samples and tells if the series can be removed.
func (s *memSeries) truncateBefore(mint int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := 0
	for i < len(s.samples) && s.samples[i].T < mint {
		i++
	}
	s.samples = s.samples[i:]
	return len(s.samples) == 0 && s.pending == 0
}

// appendable tells if a sample at time t can be added. mu is held.
func (s *memSeries) appendable(t int64) error {
	if n := len(s.samples); n > 0 && t <= s.samples[n-1].T {
		return ErrOutOfOrder
	}
	return nil
}

// seriesMap finds series by their labels.
type seriesMap struct {
	mu       sync.RWMutex
	byLabels map[string]*memSeries
}

func (m *seriesMap) get(labels string) *memSeries {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.byLabels[labels]
}

// getOrSet returns the series with the labels. If there is none, it adds the
// one that create makes. In both cases the series has one more pending
// appender, so that gc keeps it.
func (m *seriesMap) getOrSet(labels string, create func() *memSeries) (s *memSeries, created bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.byLabels[labels]; s != nil {
		s.mu.Lock()
		s.pending++
		s.mu.Unlock()
		return s, false
	}
	s = create()
	m.byLabels[labels] = s
	return s, true
}

// gc removes the series that have no samples since mint.
func (m *seriesMap) gc(mint int64) (removed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for labels, s := range m.byLabels {
		if s.truncateBefore(mint) {
			delete(m.byLabels, labels)
			removed++
		}
	}
	return removed
}

// Head is safe for concurrent use.
type Head struct {
	series  seriesMap
	lastRef atomic.Uint64
	count   atomic.Int64
}

// NewHead returns an empty head.
func NewHead() *Head {
	return &Head{series: seriesMap{byLabels: make(map[string]*memSeries)}}
}

// getOrCreate returns a series that is marked as pending.
func (h *Head) getOrCreate(labels string) *memSeries {
	s, created := h.series.getOrSet(labels, func() *memSeries {
		return &memSeries{ref: h.lastRef.Add(1), labels: labels, pending: 1}
	})
	if created {
		h.count.Add(1)
	}
	return s
}

// Truncate removes samples before mint and series without samples.
func (h *Head) Truncate(mint int64) {
	h.count.Add(-int64(h.series.gc(mint)))
}

// Select returns the samples of a series.
func (h *Head) Select(labels string) []Sample {
	s := h.series.get(labels)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sample(nil), s.samples...)
}

// Appender collects samples. It is used by one goroutine and committed or
// rolled back once.
type Appender struct {
	head    *Head
	samples []Sample
	series  []*memSeries // of the samples
}

// Appender returns an empty appender.
func (h *Head) Appender() *Appender { return &Appender{head: h} }

// Append adds a sample to the batch.
func (a *Appender) Append(labels string, t int64, v float64) (uint64, error) {
	s := a.head.getOrCreate(labels)

	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.appendable(t); err != nil {
		s.pending--
		return 0, err
	}
	a.samples = append(a.samples, Sample{t, v})
	a.series = append(a.series, s)
	return s.ref, nil
}

// Commit makes the samples visible. It returns the number of samples that
// were too old in the meantime.
func (a *Appender) Commit() (rejected int) {
	for i, s := range a.series {
		s.mu.Lock()
		s.pending--
		if s.appendable(a.samples[i].T) == nil {
			s.samples = append(s.samples, a.samples[i])
		} else {
			rejected++
		}
		s.mu.Unlock()
	}
	return rejected
}

// Rollback drops the samples.
func (a *Appender) Rollback() {
	for _, s := range a.series {
		s.mu.Lock()
		s.pending--
		s.mu.Unlock()
	}
}
