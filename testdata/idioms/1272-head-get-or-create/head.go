package tsdb

import (
	"hash/fnv"
	"sync"
	"sync/atomic"
)

const (
	stripes = 16
)

type memSeries struct {
	sync.Mutex

	ref  uint64
	lset string
	hash uint64

	samples []float64
}

func (s *memSeries) append(v float64) {
	s.Lock()
	defer s.Unlock()
	s.samples = append(s.samples, v)
}

type stripeLock struct {
	sync.RWMutex
	// Padding to avoid multiple locks being on the same cache line.
	_ [40]byte
}

// stripeSeries holds series by HeadSeriesRef ("ID") and also by hash of their labels.
// ID-based lookups via getByID() are preferred over getByHash() for performance reasons.
type stripeSeries struct {
	series [stripes]map[uint64]*memSeries
	hashes [stripes]map[uint64][]*memSeries
	locks  [2][stripes]stripeLock
}

func newStripeSeries() *stripeSeries {
	s := &stripeSeries{}
	for i := range s.series {
		s.series[i] = map[uint64]*memSeries{}
		s.hashes[i] = map[uint64][]*memSeries{}
	}
	return s
}

func (s *stripeSeries) getByID(id uint64) *memSeries {
	i := id % stripes

	s.locks[0][i].RLock()
	defer s.locks[0][i].RUnlock()
	return s.series[i][id]
}

func (s *stripeSeries) getByHash(hash uint64, lset string) *memSeries {
	i := hash % stripes

	s.locks[1][i].RLock()
	defer s.locks[1][i].RUnlock()
	for _, m := range s.hashes[i][hash] {
		if m.lset == lset {
			return m
		}
	}
	return nil
}

func (s *stripeSeries) setUnlessAlreadySet(hash uint64, lset string, series *memSeries) (*memSeries, bool) {
	i := hash % stripes
	s.locks[1][i].Lock()
	for _, m := range s.hashes[i][hash] {
		if m.lset == lset {
			s.locks[1][i].Unlock()
			return m, false
		}
	}
	s.hashes[i][hash] = append(s.hashes[i][hash], series)
	s.locks[1][i].Unlock()

	i = series.ref % stripes
	s.locks[0][i].Lock()
	s.series[i][series.ref] = series
	s.locks[0][i].Unlock()

	return series, true
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	numSeries    atomic.Uint64
	lastSeriesID atomic.Uint64
	series       *stripeSeries
	postings     *memPostings
}

// NewHead opens the head block.
func NewHead() *Head {
	return &Head{series: newStripeSeries(), postings: &memPostings{m: map[string][]uint64{}}}
}

func (h *Head) getOrCreate(hash uint64, lset string) (*memSeries, bool) {
	// Just using `getOrCreateWithID` below would be semantically sufficient, but we'd create
	// a new series on every sample inserted via Add(), which causes allocations
	// and makes our series IDs rather random and harder to compress in postings.
	s := h.series.getByHash(hash, lset)
	if s != nil {
		return s, false
	}

	// Optimistically assume that we are the first one to create the series.
	id := h.lastSeriesID.Add(1)
	return h.getOrCreateWithID(id, hash, lset)
}

func (h *Head) getOrCreateWithID(id, hash uint64, lset string) (*memSeries, bool) {
	s, created := h.series.setUnlessAlreadySet(hash, lset, &memSeries{ref: id, lset: lset, hash: hash})
	if !created {
		return s, false
	}

	h.numSeries.Add(1)
	h.postings.Add(id, lset)
	return s, true
}

// Append adds a sample to the series with the labels.
func (h *Head) Append(lset string, v float64) uint64 {
	f := fnv.New64a()
	f.Write([]byte(lset))
	s, _ := h.getOrCreate(f.Sum64(), lset)
	s.append(v)
	return s.ref
}

// NumSeries returns the number of active series in the head.
func (h *Head) NumSeries() uint64 { return h.numSeries.Load() }

// Select returns how many samples the series of a label set have.
func (h *Head) Select(lset string) int {
	n := 0
	for _, id := range h.postings.Get(lset) {
		// The series is there, it is indexed after it was set.
		if s := h.series.getByID(id); s != nil {
			s.Lock()
			n += len(s.samples)
			s.Unlock()
		}
	}
	return n
}

type memPostings struct {
	mtx sync.RWMutex
	m   map[string][]uint64
}

func (p *memPostings) Add(id uint64, lset string) {
	p.mtx.Lock()
	p.m[lset] = append(p.m[lset], id)
	p.mtx.Unlock()
}

func (p *memPostings) Get(lset string) []uint64 {
	p.mtx.RLock()
	defer p.mtx.RUnlock()
	return p.m[lset]
}
