// Package logstorage stores logs in per-day partitions.
package logstorage

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const nsecsPerDay = 24 * 3600 * 1e9

type partition struct {
	mu   sync.Mutex
	rows []int64
}

func (pt *partition) mustAddRow(ts int64) {
	pt.mu.Lock()
	pt.rows = append(pt.rows, ts)
	pt.mu.Unlock()
}

func (pt *partition) count(minTimestamp, maxTimestamp int64) int {
	pt.mu.Lock()
	defer pt.mu.Unlock()
	n := 0
	for _, ts := range pt.rows {
		if ts >= minTimestamp && ts <= maxTimestamp {
			n++
		}
	}
	return n
}

type partitionWrapper struct {
	refCount atomic.Int32
	day      int64
	pt       *partition
}

func newPartitionWrapper(day int64) *partitionWrapper {
	ptw := &partitionWrapper{day: day, pt: &partition{}}
	ptw.incRef()
	return ptw
}

func (ptw *partitionWrapper) incRef() {
	ptw.refCount.Add(1)
}

func (ptw *partitionWrapper) decRef() {
	n := ptw.refCount.Add(-1)
	if n < 0 {
		panic(fmt.Errorf("BUG: partition for day %d has negative refCount", ptw.day))
	}
	if n == 0 {
		ptw.pt.mu.Lock()
		ptw.pt.rows = nil
		ptw.pt.mu.Unlock()
	}
}

// Storage is the storage for log entries.
type Storage struct {
	retention time.Duration

	partitionsLock sync.Mutex
	partitions     []*partitionWrapper // sorted by day

	stopCh chan struct{}
	wg     sync.WaitGroup
}

// NewStorage starts a storage with the given retention.
func NewStorage(retention time.Duration) *Storage {
	s := &Storage{retention: retention, stopCh: make(chan struct{})}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.watchRetention()
	}()
	return s
}

func (s *Storage) watchRetention() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-s.stopCh:
			return
		case <-ticker.C:
			s.dropOldPartitions(time.Now().Add(-s.retention).UnixNano() / nsecsPerDay)
		}
	}
}

func (s *Storage) dropOldPartitions(minDay int64) {
	var dropped []*partitionWrapper
	s.partitionsLock.Lock()
	ptws := s.partitions[:0]
	for _, ptw := range s.partitions {
		if ptw.day < minDay {
			dropped = append(dropped, ptw)
		} else {
			ptws = append(ptws, ptw)
		}
	}
	s.partitions = ptws
	s.partitionsLock.Unlock()
	for _, ptw := range dropped {
		ptw.decRef()
	}
}

// MustAddRow stores one entry.
func (s *Storage) MustAddRow(ts int64) {
	ptw := s.getPartitionForDay(ts / nsecsPerDay)
	ptw.pt.mustAddRow(ts)
	ptw.decRef()
}

func (s *Storage) getPartitionForDay(day int64) *partitionWrapper {
	s.partitionsLock.Lock()
	defer s.partitionsLock.Unlock()
	n := sort.Search(len(s.partitions), func(i int) bool { return s.partitions[i].day >= day })
	if n == len(s.partitions) || s.partitions[n].day != day {
		s.partitions = append(s.partitions, nil)
		copy(s.partitions[n+1:], s.partitions[n:])
		s.partitions[n] = newPartitionWrapper(day)
	}
	ptw := s.partitions[n]
	ptw.incRef()
	return ptw
}

// Count returns the number of entries in the given time range.
func (s *Storage) Count(minTimestamp, maxTimestamp int64) int {
	s.partitionsLock.Lock()
	ptws := s.partitions
	minDay := minTimestamp / nsecsPerDay
	n := sort.Search(len(ptws), func(i int) bool { return ptws[i].day >= minDay })
	ptws = ptws[n:]
	maxDay := maxTimestamp / nsecsPerDay
	n = sort.Search(len(ptws), func(i int) bool { return ptws[i].day > maxDay })
	ptws = ptws[:n]
	ptws = append([]*partitionWrapper{}, ptws...)
	for _, ptw := range ptws {
		ptw.incRef()
	}
	s.partitionsLock.Unlock()

	total := 0
	for _, ptw := range ptws {
		total += ptw.pt.count(minTimestamp, maxTimestamp)
	}
	for _, ptw := range ptws {
		ptw.decRef()
	}
	return total
}

// MustClose stops the storage. Nobody may use it any more.
func (s *Storage) MustClose() {
	close(s.stopCh)
	s.wg.Wait()
	for _, ptw := range s.partitions {
		ptw.decRef()
	}
	s.partitions = nil
}
