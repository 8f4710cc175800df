package a

import (
	"sync"
	"sync/atomic"
)

type dateMetricID struct {
	date, metricID uint64
}

type dateMetricIDs map[dateMetricID]struct{}

// dateMetricIDCache is a cache for holding (date, metricID) entries. Entries
// are only added, so that a hit is valid forever.
type dateMetricIDCache struct {
	syncs atomic.Uint64

	// Contains immutable map
	byDate atomic.Pointer[dateMetricIDs]

	mu             sync.Mutex
	byDateMutable  dateMetricIDs // guarded by mu
	slowHits       int           // guarded by mu
	slowHitsToSync int
}

func NewDateMetricIDCache(slowHitsToSync int) *dateMetricIDCache {
	dmc := &dateMetricIDCache{byDateMutable: make(dateMetricIDs), slowHitsToSync: slowHitsToSync}
	dmc.byDate.Store(&dateMetricIDs{})
	return dmc
}

func (dmc *dateMetricIDCache) Syncs() uint64 { return dmc.syncs.Load() }

func (dmc *dateMetricIDCache) Has(date, metricID uint64) bool {
	k := dateMetricID{date, metricID}
	if _, ok := (*dmc.byDate.Load())[k]; ok {
		return true
	}
	return dmc.hasSlow(k)
}

func (dmc *dateMetricIDCache) hasSlow(k dateMetricID) bool {
	dmc.mu.Lock()
	defer dmc.mu.Unlock()

	// The entry may have been moved there before the lock was taken.
	if _, ok := (*dmc.byDate.Load())[k]; ok {
		return true
	}
	if _, ok := dmc.byDateMutable[k]; !ok {
		return false
	}
	dmc.slowHits++
	if dmc.slowHits > dmc.slowHitsToSync {
		dmc.syncLocked()
		dmc.slowHits = 0
	}
	return true
}

// Set registers the entry.
func (dmc *dateMetricIDCache) Set(date, metricID uint64) {
	dmc.mu.Lock()
	dmc.byDateMutable[dateMetricID{date, metricID}] = struct{}{}
	dmc.mu.Unlock()
}

func (dmc *dateMetricIDCache) syncLocked() {
	byDate := *dmc.byDate.Load()
	merged := make(dateMetricIDs, len(byDate)+len(dmc.byDateMutable))
	for k := range byDate {
		merged[k] = struct{}{}
	}
	for k := range dmc.byDateMutable {
		merged[k] = struct{}{}
	}
	dmc.byDate.Store(&merged)
	dmc.byDateMutable = make(dateMetricIDs)
	dmc.syncs.Add(1)
}
