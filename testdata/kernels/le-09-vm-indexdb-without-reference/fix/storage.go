package storage

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Storage represents TSDB storage.
type Storage struct {
	newTimeseriesCreated atomic.Uint64

	// nextRotationTimestamp is a timestamp in seconds of the next indexdb rotation.
	nextRotationTimestamp atomic.Int64

	retentionMsecs int64
	generations    atomic.Uint64

	// idbCurr contains the currently used indexdb.
	idbCurr atomic.Pointer[indexDB]

	// idbNext contains the indexdb, which will become idbCurr at the next
	// rotation.
	idbNext atomic.Pointer[indexDB]

	// idbLock prevents accidental removal of indexDBs by retentionWatcher while
	// these indexDBs are in use by some storage operation(s).
	idbLock sync.Mutex

	stop               chan struct{}
	retentionWatcherWG sync.WaitGroup
}

// MustOpenStorage opens storage with the given retention.
func MustOpenStorage(retentionMsecs int64) *Storage {
	s := &Storage{
		retentionMsecs: retentionMsecs,
		stop:           make(chan struct{}),
	}
	idbCurr := s.newIndexDB()
	idbNext := s.newIndexDB()
	idbNext.SetExtDB(idbCurr)
	s.idbCurr.Store(idbCurr)
	s.idbNext.Store(idbNext)
	s.nextRotationTimestamp.Store(time.Now().Unix() + retentionMsecs/1000)

	s.retentionWatcherWG.Add(1)
	go func() {
		s.retentionWatcher()
		s.retentionWatcherWG.Done()
	}()
	return s
}

func (s *Storage) newIndexDB() *indexDB {
	generation := s.generations.Add(1)
	return mustOpenIndexDB(fmt.Sprintf("%016X", generation), generation)
}

// getCurrAndNextIndexDBs increments refcount for the current and next indexDBs
// and returns them along with a cleanup function that decrements their refcounts.
// Returned indexDBs shouldn't be used after cleanup function was called.
func (s *Storage) getCurrAndNextIndexDBs() (*indexDB, *indexDB, func()) {
	s.idbLock.Lock()
	defer s.idbLock.Unlock()
	idbCurr := s.idbCurr.Load()
	idbCurr.incRef()
	idbNext := s.idbNext.Load()
	idbNext.incRef()
	return idbCurr, idbNext, func() {
		idbCurr.decRef()
		idbNext.decRef()
	}
}

// getCurrIndexDBs increments refcount for the current indexDB and returns it along with
// a cleanup function that decrements its refcount.
// Returned indexDB shouldn't be used after cleanup function was called.
func (s *Storage) getCurrIndexDB() (*indexDB, func()) {
	s.idbLock.Lock()
	defer s.idbLock.Unlock()
	idbCurr := s.idbCurr.Load()
	idbCurr.incRef()
	return idbCurr, func() {
		idbCurr.decRef()
	}
}

func (s *Storage) nextRetentionSeconds() int64 {
	return s.nextRotationTimestamp.Load() - time.Now().Unix()
}

func (s *Storage) retentionWatcher() {
	for {
		d := s.nextRetentionSeconds()
		select {
		case <-s.stop:
			return
		case currentTime := <-time.After(time.Second * time.Duration(d)):
			s.mustRotateIndexDB(currentTime)
		}
	}
}

func (s *Storage) mustRotateIndexDB(currentTime time.Time) {
	// Create new indexdb table, which will be used as idbNext
	idbNew := s.newIndexDB()

	// Update nextRotationTimestamp
	nextRotationTimestamp := currentTime.Unix() + s.retentionMsecs/1000
	s.nextRotationTimestamp.Store(nextRotationTimestamp)

	s.idbLock.Lock()

	// Set idbNext to idbNew
	idbNext := s.idbNext.Load()
	idbNew.SetExtDB(idbNext)
	s.idbNext.Store(idbNew)

	// Set idbCurr to idbNext
	idbCurr := s.idbCurr.Load()
	s.idbCurr.Store(idbNext)

	// Schedule data removal for idbPrev
	idbCurr.doExtDB(func(extDB *indexDB) {
		extDB.scheduleToDrop()
	})
	idbCurr.SetExtDB(nil)

	s.idbLock.Unlock()
}

// MustClose closes the storage.
//
// It is expected that the s is no longer used during the close.
func (s *Storage) MustClose() {
	close(s.stop)
	s.retentionWatcherWG.Wait()
	s.idbNext.Load().MustClose()
}

// RegisterMetricNames registers all the metric names from mns in the indexdb,
// so they can be queried later.
func (s *Storage) RegisterMetricNames(mns []string) {
	idb, idbNext, putIndexDBs := s.getCurrAndNextIndexDBs()
	defer putIndexDBs()
	idb.createIndexes(mns)
	s.newTimeseriesCreated.Add(uint64(len(mns)))
	s.prefillNextIndexDB(idbNext, mns)
}

func (s *Storage) prefillNextIndexDB(idbNext *indexDB, mns []string) {
	d := s.nextRetentionSeconds()
	if d >= 3600 {
		// Fast path: nothing to pre-fill because it is too early.
		// The pre-fill is started during the last hour before the indexdb rotation.
		return
	}
	idbNext.createIndexes(mns)
}

// SearchMetricNames returns the metric names with the given prefix.
func (s *Storage) SearchMetricNames(prefix string) []string {
	idb, putIndexDB := s.getCurrIndexDB()
	defer putIndexDB()
	return idb.SearchMetricNames(prefix)
}

// GetSeriesCount returns the approximate number of unique time series.
func (s *Storage) GetSeriesCount() uint64 {
	idb, putIndexDB := s.getCurrIndexDB()
	defer putIndexDB()
	return idb.GetSeriesCount()
}
