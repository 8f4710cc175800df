package a

import (
	"sync"
	"sync/atomic"
)

const stripes = 16

type memSeries struct {
	ref  uint64
	lset string

	mu     sync.Mutex
	values []float64
}

func (s *memSeries) append(v float64) {
	s.mu.Lock()
	s.values = append(s.values, v)
	s.mu.Unlock()
}

// stripeSeries holds the series by label set, with one lock per stripe.
type stripeSeries struct {
	locks  [stripes]sync.RWMutex
	hashes [stripes]map[string]*memSeries
}

func newStripeSeries() *stripeSeries {
	s := &stripeSeries{}
	for i := range s.hashes {
		s.hashes[i] = make(map[string]*memSeries)
	}
	return s
}

func stripe(lset string) int {
	h := uint32(2166136261)
	for i := 0; i < len(lset); i++ {
		h = (h ^ uint32(lset[i])) * 16777619
	}
	return int(h % stripes)
}

func (s *stripeSeries) get(lset string) *memSeries {
	i := stripe(lset)
	s.locks[i].RLock()
	defer s.locks[i].RUnlock()
	return s.hashes[i][lset]
}

// getOrSet returns the existing series for the label set, or stores the given one.
func (s *stripeSeries) getOrSet(series *memSeries) (*memSeries, bool) {
	i := stripe(series.lset)
	s.locks[i].Lock()
	defer s.locks[i].Unlock()
	if prev := s.hashes[i][series.lset]; prev != nil {
		return prev, false
	}
	s.hashes[i][series.lset] = series
	return series, true
}

// Head is the in-memory part of the database.
type Head struct {
	series    *stripeSeries
	lastRef   atomic.Uint64
	numSeries atomic.Int64
}

func NewHead() *Head { return &Head{series: newStripeSeries()} }

func (h *Head) getOrCreate(lset string) *memSeries {
	// Fast path, and it avoids creating a series most of the time.
	if s := h.series.get(lset); s != nil {
		return s
	}
	s, created := h.series.getOrSet(&memSeries{ref: h.lastRef.Add(1), lset: lset})
	if created {
		h.numSeries.Add(1)
	}
	return s
}

// Append adds a sample; called by every scrape loop.
func (h *Head) Append(lset string, v float64) uint64 {
	s := h.getOrCreate(lset)
	s.append(v)
	return s.ref
}

// NumSeries is exposed as a gauge.
func (h *Head) NumSeries() int64 { return h.numSeries.Load() }

// Scrape runs one loop per target.
func (h *Head) Scrape(targets []<-chan float64, lset func(i int) string) {
	for i, t := range targets {
		go func() {
			for v := range t {
				h.Append(lset(i), v)
			}
		}()
	}
}
