package bug

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// uint64set is a set of metric ids.
type uint64set struct {
	m map[uint64]struct{}
}

func (s *uint64set) Has(x uint64) bool {
	_, ok := s.m[x]
	return ok
}

func (s *uint64set) AddMulti(a []uint64) {
	if s.m == nil {
		s.m = make(map[uint64]struct{}, len(a))
	}
	for _, x := range a {
		s.m[x] = struct{}{}
	}
}

func (s *uint64set) Clone() *uint64set {
	dst := &uint64set{m: make(map[uint64]struct{}, len(s.m))}
	for x := range s.m {
		dst.m[x] = struct{}{}
	}
	return dst
}

func (s *uint64set) Len() int { return len(s.m) }

type indexDB interface {
	searchMetricName(metricID uint64) (string, error)
}

type Storage struct {
	idb indexDB

	// prefetchedMetricIDs contains the ids handled in prefetchMetricNames; immutable once stored.
	prefetchedMetricIDs atomic.Pointer[uint64set]

	// prefetchedMetricIDsLock serialises the updates of prefetchedMetricIDs.
	prefetchedMetricIDsLock     sync.Mutex
	prefetchedMetricIDsDeadline atomic.Int64

	slowMetricNameLoads atomic.Uint64
}

func NewStorage(idb indexDB) *Storage {
	s := &Storage{idb: idb}
	s.prefetchedMetricIDs.Store(&uint64set{})
	s.prefetchedMetricIDsDeadline.Store(time.Now().Add(20 * time.Minute).Unix())
	return s
}

func (s *Storage) prefetchMetricNames(srcMetricIDs []uint64) error {
	var metricIDs []uint64
	prefetchedMetricIDs := s.prefetchedMetricIDs.Load()
	for _, metricID := range srcMetricIDs {
		if prefetchedMetricIDs.Has(metricID) {
			continue
		}
		metricIDs = append(metricIDs, metricID)
	}
	if len(metricIDs) < 500 {
		// It is cheaper to skip pre-fetching and obtain metricNames inline.
		return nil
	}
	s.slowMetricNameLoads.Add(uint64(len(metricIDs)))

	sort.Slice(metricIDs, func(i, j int) bool { return metricIDs[i] < metricIDs[j] })
	for _, metricID := range metricIDs {
		if _, err := s.idb.searchMetricName(metricID); err != nil {
			return err
		}
	}

	// Store the pre-fetched metricIDs, so they aren't pre-fetched next time.
	s.prefetchedMetricIDsLock.Lock()
	var prefetchedMetricIDsNew *uint64set
	if time.Now().Unix() > s.prefetchedMetricIDsDeadline.Load() {
		// Periodically reset the set in order to limit its size.
		prefetchedMetricIDsNew = &uint64set{}
		s.prefetchedMetricIDsDeadline.Store(time.Now().Add(73 * time.Minute).Unix())
	} else {
		prefetchedMetricIDsNew = prefetchedMetricIDs.Clone()
	}
	prefetchedMetricIDsNew.AddMulti(metricIDs)
	s.prefetchedMetricIDs.Store(prefetchedMetricIDsNew)
	s.prefetchedMetricIDsLock.Unlock()
	return nil
}

// SearchMetricNames is called by many queries at once.
func (s *Storage) SearchMetricNames(metricIDs []uint64) ([]string, error) {
	if err := s.prefetchMetricNames(metricIDs); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(metricIDs))
	for _, id := range metricIDs {
		name, err := s.idb.searchMetricName(id)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (s *Storage) PrefetchedMetricIDsSize() int {
	return s.prefetchedMetricIDs.Load().Len()
}
