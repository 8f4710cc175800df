package a

import "sync"

type HeadSeriesRef uint64

type memSeries struct {
	sync.Mutex
	ref    HeadSeriesRef
	labels string
	lastTs int64
}

// stripeSeries locks modulo ranges of IDs and hashes to reduce lock
// contention.
type stripeSeries struct {
	size   int
	series []map[HeadSeriesRef]*memSeries
	hashes []map[uint64][]*memSeries
	locks  []sync.RWMutex

	gcMut sync.Mutex
}

func newStripeSeries(stripeSize int) *stripeSeries {
	s := &stripeSeries{
		size:   stripeSize,
		series: make([]map[HeadSeriesRef]*memSeries, stripeSize),
		hashes: make([]map[uint64][]*memSeries, stripeSize),
		locks:  make([]sync.RWMutex, stripeSize),
	}
	for i := range s.series {
		s.series[i] = map[HeadSeriesRef]*memSeries{}
		s.hashes[i] = map[uint64][]*memSeries{}
	}
	return s
}

// GC garbage collects old series that have not received a sample after mint
// and will fully delete them.
func (s *stripeSeries) GC(mint int64) map[HeadSeriesRef]struct{} {
	// NOTE(rfratto): GC will grab two locks, one for the hash and the other for
	// series. It's not valid for any other function to grab both locks,
	// otherwise a deadlock might occur when running GC in parallel with
	// appending.
	s.gcMut.Lock()
	defer s.gcMut.Unlock()

	deleted := map[HeadSeriesRef]struct{}{}
	for hashLock := 0; hashLock < s.size; hashLock++ {
		s.locks[hashLock].Lock()
		for hash, all := range s.hashes[hashLock] {
			var keep []*memSeries
			for _, series := range all {
				series.Lock()
				// Any series that has received a write since mint is still alive.
				if series.lastTs >= mint {
					series.Unlock()
					keep = append(keep, series)
					continue
				}
				refLock := int(series.ref) & (s.size - 1)
				if hashLock != refLock {
					s.locks[refLock].Lock()
				}
				deleted[series.ref] = struct{}{}
				delete(s.series[refLock], series.ref)
				if hashLock != refLock {
					s.locks[refLock].Unlock()
				}
				series.Unlock()
			}
			s.hashes[hashLock][hash] = keep
		}
		s.locks[hashLock].Unlock()
	}
	return deleted
}

func (s *stripeSeries) GetByID(id HeadSeriesRef) *memSeries {
	refLock := uint64(id) & uint64(s.size-1)
	s.locks[refLock].RLock()
	defer s.locks[refLock].RUnlock()
	return s.series[refLock][id]
}

// Set stores a series whose ref was just allocated by the single writer.
func (s *stripeSeries) Set(hash uint64, series *memSeries) {
	var (
		hashLock = hash & uint64(s.size-1)
		refLock  = uint64(series.ref) & uint64(s.size-1)
	)

	// We can't hold both locks at once otherwise we might deadlock with a
	// simulatenous call to GC.
	//
	// We update s.series first because GC expects anything in s.hashes to
	// already exist in s.series.
	s.locks[refLock].Lock()
	s.series[refLock][series.ref] = series
	s.locks[refLock].Unlock()

	s.locks[hashLock].Lock()
	s.hashes[hashLock][hash] = append(s.hashes[hashLock][hash], series)
	s.locks[hashLock].Unlock()
}
