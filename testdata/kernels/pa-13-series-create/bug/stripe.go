package head

import (
	"hash/maphash"
	"sync"
)

const stripes = 64

// Labels identify a series, in canonical order.
type Labels string

type sample struct {
	t int64
	v float64
}

type memSeries struct {
	ref    uint64
	labels Labels

	mu      sync.Mutex
	samples []sample
}

func (s *memSeries) append(t int64, v float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.samples); n > 0 && s.samples[n-1].t >= t {
		return ErrOutOfOrder
	}
	s.samples = append(s.samples, sample{t, v})
	return nil
}

func (s *memSeries) between(from, to int64, fn func(t int64, v float64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.samples {
		if p.t >= from && p.t <= to {
			fn(p.t, p.v)
		}
	}
}

type stripe struct {
	sync.RWMutex
	byHash map[uint64][]*memSeries
	_      [32]byte
}

// stripeSeries is the set of all series, split to lower contention.
type stripeSeries struct {
	seed maphash.Seed
	s    [stripes]stripe
}

func newStripeSeries() *stripeSeries {
	ss := &stripeSeries{seed: maphash.MakeSeed()}
	for i := range ss.s {
		ss.s[i].byHash = make(map[uint64][]*memSeries)
	}
	return ss
}

func (ss *stripeSeries) hash(l Labels) uint64 { return maphash.String(ss.seed, string(l)) }

func find(list []*memSeries, l Labels) *memSeries {
	for _, s := range list {
		if s.labels == l {
			return s
		}
	}
	return nil
}

func (ss *stripeSeries) get(h uint64, l Labels) *memSeries {
	st := &ss.s[h%stripes]
	st.RLock()
	defer st.RUnlock()
	return find(st.byHash[h], l)
}

func (ss *stripeSeries) set(h uint64, s *memSeries) {
	st := &ss.s[h%stripes]
	st.Lock()
	defer st.Unlock()
	st.byHash[h] = append(st.byHash[h], s)
}
