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

func (s *Storage) idb() *indexDB {
	return s.idbCurr.Load()
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

	// Set idbNext to idbNew
	idbNext := s.idbNext.Load()
	idbNew.SetExtDB(idbNext)
	s.idbNext.Store(idbNew)

	// Set idbCurr to idbNext
	idbCurr := s.idb()
	s.idbCurr.Store(idbNext)

	// Schedule data removal for idbPrev
	idbCurr.doExtDB(func(extDB *indexDB) {
		extDB.scheduleToDrop()
	})
	idbCurr.SetExtDB(nil)
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
	idb := s.idb()
	idb.createIndexes(mns)
	s.newTimeseriesCreated.Add(uint64(len(mns)))
	s.prefillNextIndexDB(mns)
}

func (s *Storage) prefillNextIndexDB(mns []string) {
	d := s.nextRetentionSeconds()
	if d >= 3600 {
		// Fast path: nothing to pre-fill because it is too early.
		// The pre-fill is started during the last hour before the indexdb rotation.
		return
	}
	idbNext := s.idbNext.Load()
	idbNext.createIndexes(mns)
}

// SearchMetricNames returns the metric names with the given prefix.
func (s *Storage) SearchMetricNames(prefix string) []string {
	return s.idb().SearchMetricNames(prefix)
}

// GetSeriesCount returns the approximate number of unique time series.
func (s *Storage) GetSeriesCount() uint64 {
	return s.idb().GetSeriesCount()
}
