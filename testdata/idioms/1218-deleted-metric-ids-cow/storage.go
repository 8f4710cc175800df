package storage

import (
	"sort"
	"sync"
	"sync/atomic"
)

// uint64Set is an immutable set once it has been published.
type uint64Set struct {
	m map[uint64]struct{}
}

// Has returns true if x is in s.
func (s *uint64Set) Has(x uint64) bool {
	if s == nil {
		return false
	}
	_, ok := s.m[x]
	return ok
}

// Len returns the number of items in s.
func (s *uint64Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.m)
}

// Clone returns an independent copy of s.
func (s *uint64Set) Clone() *uint64Set {
	dst := &uint64Set{m: make(map[uint64]struct{}, s.Len())}
	if s != nil {
		for x := range s.m {
			dst.m[x] = struct{}{}
		}
	}
	return dst
}

// Union adds all the items from a to s.
func (s *uint64Set) Union(a *uint64Set) {
	for x := range a.m {
		s.m[x] = struct{}{}
	}
}

// Storage represents TSDB storage.
type Storage struct {
	// deletedMetricIDs contains metricIDs for deleted series.
	deletedMetricIDs           atomic.Pointer[uint64Set]
	deletedMetricIDsUpdateLock sync.Mutex

	seriesLock sync.RWMutex
	series     map[string]uint64

	nextMetricID atomic.Uint64
	missingTSIDs atomic.Uint64
}

// NewStorage creates an empty storage.
func NewStorage() *Storage {
	s := &Storage{series: make(map[string]uint64)}
	s.setDeletedMetricIDs(&uint64Set{})
	return s
}

func (s *Storage) getDeletedMetricIDs() *uint64Set {
	return s.deletedMetricIDs.Load()
}

func (s *Storage) setDeletedMetricIDs(dmis *uint64Set) {
	s.deletedMetricIDs.Store(dmis)
}

func (s *Storage) updateDeletedMetricIDs(metricIDs *uint64Set) {
	s.deletedMetricIDsUpdateLock.Lock()
	dmisOld := s.getDeletedMetricIDs()
	dmisNew := dmisOld.Clone()
	dmisNew.Union(metricIDs)
	s.setDeletedMetricIDs(dmisNew)
	s.deletedMetricIDsUpdateLock.Unlock()
}

// RegisterMetricName registers the series with the given name.
func (s *Storage) RegisterMetricName(name string) uint64 {
	s.seriesLock.RLock()
	metricID, ok := s.series[name]
	s.seriesLock.RUnlock()
	if ok {
		return metricID
	}

	s.seriesLock.Lock()
	defer s.seriesLock.Unlock()
	if metricID, ok := s.series[name]; ok {
		return metricID
	}
	metricID = s.nextMetricID.Add(1)
	s.series[name] = metricID
	return metricID
}

// DeleteSeries deletes the series with the given names.
//
// Returns the number of metrics deleted.
func (s *Storage) DeleteSeries(names []string) int {
	metricIDs := &uint64Set{m: make(map[uint64]struct{})}
	s.seriesLock.Lock()
	defer s.seriesLock.Unlock()
	for _, name := range names {
		if metricID, ok := s.series[name]; ok {
			metricIDs.m[metricID] = struct{}{}
			delete(s.series, name)
		}
	}
	if metricIDs.Len() == 0 {
		// Nothing to delete.
		return 0
	}

	// atomically add deleted metricIDs to an inmemory map.
	s.updateDeletedMetricIDs(metricIDs)
	return metricIDs.Len()
}

type block struct {
	metricID  uint64
	timestamp int64
}

// MergeBlocks drops the blocks of deleted series and sorts the others.
func (s *Storage) MergeBlocks(src []block) []block {
	dmis := s.getDeletedMetricIDs()
	dst := make([]block, 0, len(src))
	for _, b := range src {
		if dmis.Has(b.metricID) {
			// Skip blocks for deleted metrics.
			continue
		}
		dst = append(dst, b)
	}
	sort.Slice(dst, func(i, j int) bool { return dst[i].timestamp < dst[j].timestamp })
	return dst
}

// FilterDeleted removes deleted metric ids from the ids found by a search.
func (s *Storage) FilterDeleted(metricIDs []uint64) []uint64 {
	dmis := s.getDeletedMetricIDs()
	if dmis.Len() == 0 {
		return metricIDs
	}
	dst := metricIDs[:0]
	for _, metricID := range metricIDs {
		if dmis.Has(metricID) {
			s.missingTSIDs.Add(1)
			continue
		}
		dst = append(dst, metricID)
	}
	return dst
}
