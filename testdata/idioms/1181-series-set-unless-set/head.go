package tsdb

import (
	"slices"
	"sync"
	"sync/atomic"
)

const defaultStripeSize = 1 << 10

// Label is a key/value pair of strings.
type Label struct {
	Name, Value string
}

// memSeries is the in-memory representation of a series.
type memSeries struct {
	sync.Mutex
	ref     uint64
	lset    []Label
	samples []float64
}

// stripeSeries holds series by hash of their label set. The locks are striped to reduce
// lock contention.
type stripeSeries struct {
	size   uint64
	hashes []map[uint64][]*memSeries
	locks  []sync.RWMutex
}

func newStripeSeries(size uint64) *stripeSeries {
	s := &stripeSeries{
		size:   size,
		hashes: make([]map[uint64][]*memSeries, size),
		locks:  make([]sync.RWMutex, size),
	}
	for i := range s.hashes {
		s.hashes[i] = map[uint64][]*memSeries{}
	}
	return s
}

func (s *stripeSeries) find(i, hash uint64, lset []Label) *memSeries {
	for _, series := range s.hashes[i][hash] {
		if slices.Equal(series.lset, lset) {
			return series
		}
	}
	return nil
}

func (s *stripeSeries) getByHash(hash uint64, lset []Label) *memSeries {
	i := hash & (s.size - 1)

	s.locks[i].RLock()
	series := s.find(i, hash, lset)
	s.locks[i].RUnlock()

	return series
}

func (s *stripeSeries) setUnlessAlreadySet(hash uint64, lset []Label, series *memSeries) (*memSeries, bool) {
	i := hash & (s.size - 1)
	s.locks[i].Lock()
	if prev := s.find(i, hash, lset); prev != nil {
		s.locks[i].Unlock()
		return prev, false
	}
	s.hashes[i][hash] = append(s.hashes[i][hash], series)
	s.locks[i].Unlock()

	return series, true
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	lastSeriesID atomic.Uint64
	numSeries    atomic.Uint64
	series       *stripeSeries
	hash         func([]Label) uint64
}

// NewHead opens the head block.
func NewHead(hash func([]Label) uint64) *Head {
	return &Head{series: newStripeSeries(defaultStripeSize), hash: hash}
}

// NumSeries returns the number of active series in the head.
func (h *Head) NumSeries() uint64 {
	return h.numSeries.Load()
}

func (h *Head) getOrCreate(hash uint64, lset []Label) (*memSeries, bool) {
	s := h.series.getByHash(hash, lset)
	if s != nil {
		return s, false
	}

	return h.getOrCreateWithOptionalID(0, hash, lset)
}

func (h *Head) getOrCreateWithOptionalID(id, hash uint64, lset []Label) (*memSeries, bool) {
	if id == 0 {
		// Note this id is wasted in the case where a concurrent operation creates the same series first.
		id = h.lastSeriesID.Add(1)
	}
	optimisticallyCreatedSeries := &memSeries{ref: id, lset: lset}

	s, created := h.series.setUnlessAlreadySet(hash, lset, optimisticallyCreatedSeries)
	if !created {
		return s, false
	}

	h.numSeries.Add(1)
	return s, true
}

// Append adds a sample to the series with the given labels. It is called
// concurrently by all scrape loops.
func (h *Head) Append(lset []Label, v float64) uint64 {
	s, _ := h.getOrCreate(h.hash(lset), lset)
	s.Lock()
	s.samples = append(s.samples, v)
	s.Unlock()
	return s.ref
}
