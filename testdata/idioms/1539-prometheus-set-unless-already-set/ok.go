package a

import (
	"sync"
	"sync/atomic"
)

const stripes = 64

type sample struct {
	t int64
	v float64
}

// memSeries is the in-memory representation of a series.
type memSeries struct {
	sync.Mutex
	ref     uint64
	lset    string
	samples []sample
}

func newMemSeries(lset string, id uint64) *memSeries {
	return &memSeries{ref: id, lset: lset}
}

func (s *memSeries) append(t int64, v float64) bool {
	s.Lock()
	defer s.Unlock()
	if n := len(s.samples); n > 0 && s.samples[n-1].t >= t {
		return false
	}
	s.samples = append(s.samples, sample{t, v})
	return true
}

// stripeSeries holds series by ref and by hash of their labels, each in
// stripes with their own lock. Series are never removed.
type stripeSeries struct {
	locks  [stripes]sync.RWMutex
	series [stripes]map[uint64]*memSeries
	hashes [stripes]map[uint64][]*memSeries
}

func newStripeSeries() *stripeSeries {
	s := &stripeSeries{}
	for i := range stripes {
		s.series[i] = map[uint64]*memSeries{}
		s.hashes[i] = map[uint64][]*memSeries{}
	}
	return s
}

// get returns the series of a hash. The lock of its stripe must be held.
func (s *stripeSeries) get(hash uint64, lset string) *memSeries {
	for _, ms := range s.hashes[hash%stripes][hash] {
		if ms.lset == lset {
			return ms
		}
	}
	return nil
}

func (s *stripeSeries) getByHash(hash uint64, lset string) *memSeries {
	i := hash % stripes
	s.locks[i].RLock()
	defer s.locks[i].RUnlock()
	return s.get(hash, lset)
}

func (s *stripeSeries) getByID(id uint64) *memSeries {
	i := id % stripes
	s.locks[i].RLock()
	defer s.locks[i].RUnlock()
	return s.series[i][id]
}

func (s *stripeSeries) setUnlessAlreadySet(hash uint64, lset string, series *memSeries) (*memSeries, bool) {
	i := hash % stripes
	s.locks[i].Lock()
	if prev := s.get(hash, lset); prev != nil {
		s.locks[i].Unlock()
		return prev, false
	}
	s.hashes[i][hash] = append(s.hashes[i][hash], series)
	s.locks[i].Unlock()

	i = series.ref % stripes
	s.locks[i].Lock()
	s.series[i][series.ref] = series
	s.locks[i].Unlock()
	return series, true
}

// Head holds the most recent samples.
type Head struct {
	lastSeriesID atomic.Uint64
	numSeries    atomic.Uint64
	series       *stripeSeries
}

func NewHead() *Head { return &Head{series: newStripeSeries()} }

func (h *Head) getOrCreate(hash uint64, lset string) *memSeries {
	s := h.series.getByHash(hash, lset)
	if s != nil {
		return s
	}

	// Note this id is wasted in the case where a concurrent operation creates the same series first.
	id := h.lastSeriesID.Add(1)
	optimisticallyCreatedSeries := newMemSeries(lset, id)

	s, created := h.series.setUnlessAlreadySet(hash, lset, optimisticallyCreatedSeries)
	if created {
		h.numSeries.Add(1)
	}
	return s
}

// Append adds a sample to a series. A caller that has got the ref of the
// series from an earlier call may pass it, otherwise it is zero.
func (h *Head) Append(ref, hash uint64, lset string, t int64, v float64) (uint64, bool) {
	s := h.series.getByID(ref)
	if s == nil {
		s = h.getOrCreate(hash, lset)
	}
	return s.ref, s.append(t, v)
}

// NumSeries returns the number of series.
func (h *Head) NumSeries() uint64 { return h.numSeries.Load() }
