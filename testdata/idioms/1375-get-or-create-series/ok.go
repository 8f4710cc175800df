package tsdb

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

type memSeries struct {
	mu   sync.Mutex
	ref  uint64
	lset string
	last int64
}

func (s *memSeries) append(t int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t <= s.last {
		return false
	}
	s.last = t
	return true
}

const stripeCount = 16

type stripe struct {
	sync.RWMutex
	byHash map[uint64][]*memSeries
	byRef  map[uint64]*memSeries
}

// stripeSeries holds series by hash ("byHash") and by reference ("byRef").
type stripeSeries struct {
	stripes [stripeCount]stripe
}

func newStripeSeries() *stripeSeries {
	s := &stripeSeries{}
	for i := range s.stripes {
		s.stripes[i].byHash = make(map[uint64][]*memSeries)
		s.stripes[i].byRef = make(map[uint64]*memSeries)
	}
	return s
}

func find(list []*memSeries, lset string) *memSeries {
	for _, s := range list {
		if s.lset == lset {
			return s
		}
	}
	return nil
}

func (s *stripeSeries) getByHash(hash uint64, lset string) *memSeries {
	st := &s.stripes[hash%stripeCount]
	st.RLock()
	defer st.RUnlock()
	return find(st.byHash[hash], lset)
}

func (s *stripeSeries) getByID(ref uint64) *memSeries {
	st := &s.stripes[ref%stripeCount]
	st.RLock()
	defer st.RUnlock()
	return st.byRef[ref]
}

// setUnlessAlreadySet puts the series into the map, or returns the one that is
// there for its labels.
func (s *stripeSeries) setUnlessAlreadySet(hash uint64, series *memSeries) (*memSeries, bool) {
	st := &s.stripes[hash%stripeCount]
	st.Lock()
	if prev := find(st.byHash[hash], series.lset); prev != nil {
		st.Unlock()
		return prev, false
	}
	st.byHash[hash] = append(st.byHash[hash], series)
	st.Unlock()

	st = &s.stripes[series.ref%stripeCount]
	st.Lock()
	st.byRef[series.ref] = series
	st.Unlock()
	return series, true
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	seed      maphash.Seed
	series    *stripeSeries
	lastRef   atomic.Uint64
	numSeries atomic.Uint64
}

func NewHead() *Head {
	return &Head{seed: maphash.MakeSeed(), series: newStripeSeries()}
}

func (h *Head) getOrCreate(lset string) (*memSeries, bool) {
	hash := maphash.String(h.seed, lset)

	// Just using `getOrCreateWithID` below would be semantically sufficient,
	// but we'd create a new series on every sample inserted via Add(), which
	// causes allocations and makes our series IDs rather random.
	if s := h.series.getByHash(hash, lset); s != nil {
		return s, false
	}

	// Optimistically assume that we are the first one to create the series.
	id := h.lastRef.Add(1)
	return h.getOrCreateWithID(id, hash, lset)
}

func (h *Head) getOrCreateWithID(id, hash uint64, lset string) (*memSeries, bool) {
	s, created := h.series.setUnlessAlreadySet(hash, &memSeries{ref: id, lset: lset, last: -1})
	if !created {
		return s, false
	}
	h.numSeries.Add(1)
	return s, true
}

// Append adds a sample, by reference if it is known.
func (h *Head) Append(ref uint64, lset string, t int64) (uint64, bool) {
	s := h.series.getByID(ref)
	if s == nil {
		s, _ = h.getOrCreate(lset)
	}
	return s.ref, s.append(t)
}

// NumSeries returns the number of active series in the head.
func (h *Head) NumSeries() uint64 {
	return h.numSeries.Load()
}
