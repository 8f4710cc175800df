package storage

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type partition struct {
	name         string
	minTimestamp int64
	maxTimestamp int64

	mu     sync.Mutex
	rows   []int64
	closed bool
}

func (pt *partition) addRow(timestamp int64) {
	pt.mu.Lock()
	defer pt.mu.Unlock()
	if pt.closed {
		log.Panicf("BUG: partition %q is used after close", pt.name)
	}
	pt.rows = append(pt.rows, timestamp)
}

func (pt *partition) rowsCount() int {
	pt.mu.Lock()
	defer pt.mu.Unlock()
	return len(pt.rows)
}

func (pt *partition) MustClose() {
	pt.mu.Lock()
	pt.closed = true
	pt.rows = nil
	pt.mu.Unlock()
}

func (pt *partition) Drop() { log.Printf("partition %q has been dropped", pt.name) }

// partitionWrapper provides refcounting mechanism for the partition.
type partitionWrapper struct {
	// refCount is the number of open references to partitionWrapper.
	refCount atomic.Int32

	// if mustDrop is true, then the partition must be dropped after refCount reaches zero.
	mustDrop atomic.Bool

	pt *partition
}

func (ptw *partitionWrapper) incRef() {
	ptw.refCount.Add(1)
}

func (ptw *partitionWrapper) decRef() {
	n := ptw.refCount.Add(-1)
	if n < 0 {
		log.Panicf("BUG: pts.refCount must be positive; got %d", n)
	}
	if n > 0 {
		return
	}

	// refCount is zero. Close the partition.
	ptw.pt.MustClose()

	if !ptw.mustDrop.Load() {
		ptw.pt = nil
		return
	}

	// Drop the partition.
	ptw.pt.Drop()
	ptw.pt = nil
}

func (ptw *partitionWrapper) scheduleToDrop() {
	ptw.mustDrop.Store(true)
}

// table represents a single table with time series data.
type table struct {
	retentionMsecs int64

	ptws     []*partitionWrapper
	ptwsLock sync.Mutex

	stopCh             chan struct{}
	retentionWatcherWG sync.WaitGroup
}

func mustOpenTable(retentionMsecs int64) *table {
	tb := &table{
		retentionMsecs: retentionMsecs,
		stopCh:         make(chan struct{}),
	}
	tb.retentionWatcherWG.Add(1)
	go func() {
		tb.retentionWatcher()
		tb.retentionWatcherWG.Done()
	}()
	return tb
}

// MustClose closes the table.
//
// This func must be called only when there are no goroutines using the the
// table, such as ones that ingest or retrieve time series samples.
func (tb *table) MustClose() {
	close(tb.stopCh)
	tb.retentionWatcherWG.Wait()

	tb.ptwsLock.Lock()
	ptws := tb.ptws
	tb.ptws = nil
	tb.ptwsLock.Unlock()

	for _, ptw := range ptws {
		ptw.decRef()
	}
}

// mustGetPartition returns the partition for the given timestamp, which is
// created if it doesn't exist. It must be released with decRef.
func (tb *table) mustGetPartition(timestamp int64) *partitionWrapper {
	const month = 31 * 24 * 3600 * 1000
	tb.ptwsLock.Lock()
	defer tb.ptwsLock.Unlock()
	for _, ptw := range tb.ptws {
		if ptw.pt.minTimestamp <= timestamp && timestamp <= ptw.pt.maxTimestamp {
			ptw.incRef()
			return ptw
		}
	}
	start := timestamp - timestamp%month
	pt := &partition{name: time.UnixMilli(start).Format("2006_01"), minTimestamp: start, maxTimestamp: start + month - 1}
	ptw := &partitionWrapper{pt: pt}
	ptw.incRef()
	tb.ptws = append(tb.ptws, ptw)
	ptw.incRef()
	return ptw
}

// AddRow adds a row to the partition it belongs to.
func (tb *table) AddRow(timestamp int64) {
	ptw := tb.mustGetPartition(timestamp)
	ptw.pt.addRow(timestamp)
	ptw.decRef()
}

// GetPartitions returns partitions that overlap the given time range. They
// must be released with PutPartitions.
func (tb *table) GetPartitions(minTimestamp, maxTimestamp int64) []*partitionWrapper {
	tb.ptwsLock.Lock()
	defer tb.ptwsLock.Unlock()

	var ptws []*partitionWrapper
	for _, ptw := range tb.ptws {
		if ptw.pt.minTimestamp <= maxTimestamp && minTimestamp <= ptw.pt.maxTimestamp {
			ptw.incRef()
			ptws = append(ptws, ptw)
		}
	}
	return ptws
}

// PutPartitions deregisters ptws obtained via GetPartitions.
func (tb *table) PutPartitions(ptws []*partitionWrapper) {
	for _, ptw := range ptws {
		ptw.decRef()
	}
}

// RowsCount returns the number of rows in the given time range.
func (tb *table) RowsCount(minTimestamp, maxTimestamp int64) int {
	ptws := tb.GetPartitions(minTimestamp, maxTimestamp)
	defer tb.PutPartitions(ptws)
	n := 0
	for _, ptw := range ptws {
		n += ptw.pt.rowsCount()
	}
	return n
}

func (tb *table) retentionWatcher() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-tb.stopCh:
			return
		case <-ticker.C:
		}

		minTimestamp := time.Now().UnixMilli() - tb.retentionMsecs
		var ptwsDrop []*partitionWrapper
		tb.ptwsLock.Lock()
		dst := tb.ptws[:0]
		for _, ptw := range tb.ptws {
			if ptw.pt.maxTimestamp < minTimestamp {
				ptwsDrop = append(ptwsDrop, ptw)
			} else {
				dst = append(dst, ptw)
			}
		}
		tb.ptws = dst
		tb.ptwsLock.Unlock()

		// Remove table references from partitions, so they will be eventually
		// closed and dropped after all the pending searches are done.
		for _, ptw := range ptwsDrop {
			ptw.scheduleToDrop()
			ptw.decRef()
		}
	}
}
