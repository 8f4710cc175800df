package fix

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

func (s *uint64set) Len() int { return len(s.m) }

type indexDB interface {
	searchMetricName(metricID uint64) (string, error)
}

type Storage struct {
	idb indexDB

	// prefetchedMetricIDs contains the ids handled in prefetchMetricNames.
	prefetchedMetricIDsLock     sync.Mutex
	prefetchedMetricIDs         *uint64set
	prefetchedMetricIDsDeadline atomic.Int64

	slowMetricNameLoads atomic.Uint64
}

func NewStorage(idb indexDB) *Storage {
	s := &Storage{idb: idb}
	s.prefetchedMetricIDs = &uint64set{}
	s.prefetchedMetricIDsDeadline.Store(time.Now().Add(20 * time.Minute).Unix())
	return s
}

func (s *Storage) prefetchMetricNames(srcMetricIDs []uint64) error {
	var metricIDs []uint64
	s.prefetchedMetricIDsLock.Lock()
	prefetchedMetricIDs := s.prefetchedMetricIDs
	for _, metricID := range srcMetricIDs {
		if prefetchedMetricIDs.Has(metricID) {
			continue
		}
		metricIDs = append(metricIDs, metricID)
	}
	s.prefetchedMetricIDsLock.Unlock()
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
	if time.Now().Unix() > s.prefetchedMetricIDsDeadline.Load() {
		// Periodically reset the set in order to limit its size.
		s.prefetchedMetricIDs = &uint64set{}
		s.prefetchedMetricIDsDeadline.Store(time.Now().Add(20 * time.Minute).Unix())
	}
	s.prefetchedMetricIDs.AddMulti(metricIDs)
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
	s.prefetchedMetricIDsLock.Lock()
	defer s.prefetchedMetricIDsLock.Unlock()
	return s.prefetchedMetricIDs.Len()
}
