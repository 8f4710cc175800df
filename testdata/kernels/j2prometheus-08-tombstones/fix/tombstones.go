package tsdb

import (
	"sort"
	"sync"
)

// Interval represents a single time-interval.
type Interval struct {
	Mint, Maxt int64
}

// Intervals represents a set of increasing and non-overlapping time-intervals.
type Intervals []Interval

// Add the new time-range to the existing ones.
func (in Intervals) Add(n Interval) Intervals {
	// Find min and max indexes of intervals that overlap with the new interval.
	// Intervals are closed [t1, t2] and t is discrete, so if neighbour intervals
	// are 1 step difference to the new one, we can merge those together.
	mini := sort.Search(len(in), func(i int) bool { return in[i].Maxt >= n.Mint-1 })
	if mini == len(in) {
		return append(in, n)
	}
	maxi := sort.Search(len(in)-mini, func(i int) bool { return in[mini+i].Mint > n.Maxt+1 })
	if maxi == 0 {
		return append(in[:mini], append(Intervals{n}, in[mini:]...)...)
	}

	if n.Mint < in[mini].Mint {
		in[mini].Mint = n.Mint
	}
	in[mini].Maxt = max(in[maxi+mini-1].Maxt, n.Maxt)
	return append(in[:mini+1], in[maxi+mini:]...)
}

// MemTombstones keeps the deleted intervals of series.
type MemTombstones struct {
	mtx         sync.RWMutex
	intvlGroups map[uint64]Intervals
}

// NewMemTombstones creates new in memory tombstones.
func NewMemTombstones() *MemTombstones {
	return &MemTombstones{intvlGroups: make(map[uint64]Intervals)}
}

// Get returns the deleted intervals of a series.
func (t *MemTombstones) Get(ref uint64) Intervals {
	t.mtx.RLock()
	defer t.mtx.RUnlock()
	// Make a copy, Add changes the intervals in place.
	return append(Intervals(nil), t.intvlGroups[ref]...)
}

// AddInterval to the deleted ones of a series.
func (t *MemTombstones) AddInterval(ref uint64, itv Interval) {
	t.mtx.Lock()
	defer t.mtx.Unlock()
	t.intvlGroups[ref] = t.intvlGroups[ref].Add(itv)
}
