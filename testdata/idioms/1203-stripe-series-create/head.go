package tsdb

import (
	"sync"
	"sync/atomic"
)

type HeadSeriesRef uint64

// memSeries is the in-memory representation of a series.
type memSeries struct {
	sync.Mutex

	ref  HeadSeriesRef
	lset string
	last int64
}

// seriesHashmap lets TSDB find a memSeries by its label set, via a 64-bit hash.
type seriesHashmap map[uint64][]*memSeries

func (m seriesHashmap) get(hash uint64, lset string) *memSeries {
	for _, s := range m[hash] {
		if s.lset == lset {
			return s
		}
	}
	return nil
}

func (m seriesHashmap) set(hash uint64, s *memSeries) { m[hash] = append(m[hash], s) }

// stripeSeries holds series by HeadSeriesRef ("ID") and also by hash of their labels.
// ID-based lookups via getByID() are preferred over getByHash() for performance reasons.
// It locks modulo ranges of IDs and hashes to reduce lock contention.
type stripeSeries struct {
	size   int
	series []map[HeadSeriesRef]*memSeries // Sharded by ref. A series ref is the value of `size` when the series was being newly added.
	hashes []seriesHashmap                // Sharded by label hash.
	locks  []sync.RWMutex                 // Sharded by ref for series access, by label hash for hashes access.
}

func newStripeSeries(stripeSize int) *stripeSeries {
	s := &stripeSeries{
		size:   stripeSize,
		series: make([]map[HeadSeriesRef]*memSeries, stripeSize),
		hashes: make([]seriesHashmap, stripeSize),
		locks:  make([]sync.RWMutex, stripeSize),
	}
	for i := range s.series {
		s.series[i] = map[HeadSeriesRef]*memSeries{}
		s.hashes[i] = seriesHashmap{}
	}
	return s
}

func (s *stripeSeries) getByID(id HeadSeriesRef) *memSeries {
	i := uint64(id) & uint64(s.size-1)

	s.locks[i].RLock()
	series := s.series[i][id]
	s.locks[i].RUnlock()

	return series
}

func (s *stripeSeries) getByHash(hash uint64, lset string) *memSeries {
	i := hash & uint64(s.size-1)

	s.locks[i].RLock()
	series := s.hashes[i].get(hash, lset)
	s.locks[i].RUnlock()

	return series
}

// setUnlessAlreadySet tries to add a series with the given hash and returns the
// series of the one who came first.
func (s *stripeSeries) setUnlessAlreadySet(hash uint64, series *memSeries) (*memSeries, bool) {
	i := hash & uint64(s.size-1)
	s.locks[i].Lock()
	if prev := s.hashes[i].get(hash, series.lset); prev != nil {
		s.locks[i].Unlock()
		return prev, false
	}
	s.hashes[i].set(hash, series)
	s.locks[i].Unlock()

	i = uint64(series.ref) & uint64(s.size-1)

	s.locks[i].Lock()
	s.series[i][series.ref] = series
	s.locks[i].Unlock()

	return series, true
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	numSeries    atomic.Uint64
	lastSeriesID atomic.Uint64
	series       *stripeSeries
}

func NewHead() *Head { return &Head{series: newStripeSeries(16)} }

func (h *Head) getOrCreate(hash uint64, lset string) (*memSeries, bool) {
	// Just using `getOrCreateWithID` below would be semantically sufficient, but we'd create
	// a new series on every sample inserted via Add(), which causes allocations
	// and makes our series IDs rather random and harder to compress in postings.
	s := h.series.getByHash(hash, lset)
	if s != nil {
		return s, false
	}

	// Optimistically assume that we are the first one to create the series.
	id := HeadSeriesRef(h.lastSeriesID.Add(1))

	return h.getOrCreateWithID(id, hash, lset)
}

func (h *Head) getOrCreateWithID(id HeadSeriesRef, hash uint64, lset string) (*memSeries, bool) {
	s, created := h.series.setUnlessAlreadySet(hash, &memSeries{ref: id, lset: lset})
	if !created {
		return s, false
	}
	h.numSeries.Add(1)
	return s, true
}

// Append is called by the scrape loops. The ref may be 0.
func (h *Head) Append(ref HeadSeriesRef, hash uint64, lset string, t int64) HeadSeriesRef {
	s := h.series.getByID(ref)
	if s == nil {
		s, _ = h.getOrCreate(hash, lset)
	}
	s.Lock()
	if t > s.last {
		s.last = t
	}
	s.Unlock()
	return s.ref
}
