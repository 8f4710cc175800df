package storage

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

type metricIDSet map[uint64]struct{}

func (s metricIDSet) has(metricID uint64) bool {
	_, ok := s[metricID]
	return ok
}

// byDateMetricIDMap contains metricIDs per date.
type byDateMetricIDMap map[uint64]metricIDSet

func (m byDateMetricIDMap) getOrCreate(date uint64) metricIDSet {
	s := m[date]
	if s == nil {
		s = make(metricIDSet)
		m[date] = s
	}
	return s
}

// dateMetricIDCache stores (date, metricIDs) entries that have been added to
// the index. It is used during data ingestion to decide whether a new entry
// needs to be added to the per-day index.
//
// It should be faster than map[date]metricIDSet on multicore systems.
type dateMetricIDCache struct {
	// Contains immutable (date, metricIDs) entries.
	curr atomic.Pointer[byDateMetricIDMap]

	// Contains immutable (date, metricIDs) entries that used to be current
	// before cache rotation. It is used to implement periodic cache clean-up.
	// Protected by mu.
	prev byDateMetricIDMap

	// Contains mutable (date metricIDs) entries that either have been added to
	// the cache recently or migrated from prev. Protected by mu.
	next byDateMetricIDMap

	// Contains the number of slow accesses to next. Is used for deciding when
	// to merge next to curr. Protected by mu.
	slowHits int

	mu sync.Mutex

	stopCh            chan struct{}
	rotationStoppedCh chan struct{}
}

func newDateMetricIDCache(rotationPeriod time.Duration) *dateMetricIDCache {
	dmc := &dateMetricIDCache{
		prev:              make(byDateMetricIDMap),
		next:              make(byDateMetricIDMap),
		stopCh:            make(chan struct{}),
		rotationStoppedCh: make(chan struct{}),
	}
	dmc.curr.Store(&byDateMetricIDMap{})
	go dmc.startRotation(rotationPeriod)
	return dmc
}

func (dmc *dateMetricIDCache) MustStop() {
	close(dmc.stopCh)
	<-dmc.rotationStoppedCh
}

func (dmc *dateMetricIDCache) startRotation(rotationPeriod time.Duration) {
	ticker := time.NewTicker(rotationPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-dmc.stopCh:
			close(dmc.rotationStoppedCh)
			return
		case <-ticker.C:
			dmc.rotate()
		}
	}
}

func (dmc *dateMetricIDCache) Has(date, metricID uint64) bool {
	curr := *dmc.curr.Load()
	if curr[date].has(metricID) {
		// Fast path. The majority of calls must go here.
		return true
	}
	// Slow path. Acquire the lock and search the immutable map again and then
	// also search the mutable map.
	return dmc.hasSlow(date, metricID)
}

func (dmc *dateMetricIDCache) hasSlow(date, metricID uint64) bool {
	dmc.mu.Lock()
	defer dmc.mu.Unlock()

	// First, check immutable map again because the entry may have been moved to
	// the immutable map by the time the caller acquires the lock.
	curr := *dmc.curr.Load()
	vCurr := curr[date]
	if vCurr.has(metricID) {
		return true
	}

	// Then check next and prev.
	vNext := dmc.next.getOrCreate(date)
	ok := vNext.has(metricID)
	if !ok {
		ok = dmc.prev[date].has(metricID)
		if ok {
			// The metricID is in prev but is still in use. Migrate it to next.
			vNext[metricID] = struct{}{}
		}
	}

	if ok {
		dmc.slowHits++
		if dmc.slowHits > (len(vCurr)+len(vNext))/2 {
			// It is cheaper to merge next into curr than to pay inter-cpu sync
			// costs when accessing next.
			dmc.syncLocked()
			dmc.slowHits = 0
		}
	}
	return ok
}

func (dmc *dateMetricIDCache) Set(date, metricID uint64) {
	dmc.mu.Lock()
	dmc.next.getOrCreate(date)[metricID] = struct{}{}
	dmc.mu.Unlock()
}

func (dmc *dateMetricIDCache) syncLocked() {
	if len(dmc.next) == 0 {
		// Nothing to sync.
		return
	}

	// Merge data from curr into next and then atomically replace curr with the
	// merged data.
	next := dmc.next
	for date, vCurr := range *dmc.curr.Load() {
		vNext := next[date]
		if vNext == nil {
			next[date] = vCurr
			continue
		}
		merged := maps.Clone(vCurr)
		maps.Copy(merged, vNext)
		next[date] = merged
	}

	// Atomically replace curr with next.
	dmc.curr.Store(&next)
	dmc.next = make(byDateMetricIDMap)
}

// rotate atomically rotates next, curr, and prev cache parts.
func (dmc *dateMetricIDCache) rotate() {
	dmc.mu.Lock()
	defer dmc.mu.Unlock()
	next := dmc.next
	dmc.prev = *dmc.curr.Load()
	dmc.curr.Store(&next)
	dmc.next = make(byDateMetricIDMap)
}
