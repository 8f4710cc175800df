package a

import (
	"sync"
	"sync/atomic"
)

type rawRow struct {
	Timestamp int64
	Value     float64
}

type partition struct {
	minTs, maxTs int64

	rowsLock sync.Mutex
	rows     []rawRow
}

func (pt *partition) HasTimestamp(ts int64) bool { return ts >= pt.minTs && ts <= pt.maxTs }

func (pt *partition) AddRows(rows []rawRow) {
	pt.rowsLock.Lock()
	pt.rows = append(pt.rows, rows...)
	pt.rowsLock.Unlock()
}

func (pt *partition) MustClose() {}

// partitionWrapper provides refcounting mechanism for the partition.
type partitionWrapper struct {
	refCount atomic.Int64
	pt       *partition
}

func (ptw *partitionWrapper) incRef() { ptw.refCount.Add(1) }

func (ptw *partitionWrapper) decRef() {
	if ptw.refCount.Add(-1) == 0 {
		ptw.pt.MustClose()
	}
}

// table represents a single table with time series data.
type table struct {
	ptws     []*partitionWrapper
	ptwsLock sync.Mutex
}

// GetPartitions appends tb's partitions snapshot to dst and returns the result.
//
// The returned partitions must be passed to PutPartitions
// when they no longer needed.
func (tb *table) GetPartitions(dst []*partitionWrapper) []*partitionWrapper {
	tb.ptwsLock.Lock()
	for _, ptw := range tb.ptws {
		ptw.incRef()
		dst = append(dst, ptw)
	}
	tb.ptwsLock.Unlock()
	return dst
}

// PutPartitions deregisters ptws obtained via GetPartitions.
func (tb *table) PutPartitions(ptws []*partitionWrapper) {
	for _, ptw := range ptws {
		ptw.decRef()
	}
}

// AddRows adds the given rows to the table.
func (tb *table) AddRows(rows []rawRow) bool {
	ptws := tb.GetPartitions(nil)
	defer tb.PutPartitions(ptws)
	for i, ptw := range ptws {
		singlePt := true
		for j := range rows {
			if !ptw.pt.HasTimestamp(rows[j].Timestamp) {
				singlePt = false
				break
			}
		}
		if !singlePt {
			continue
		}

		if i != 0 {
			// Move the partition with the matching rows to the front of tb.ptws,
			// so it will be detected faster next time.
			tb.ptwsLock.Lock()
			for j := range tb.ptws {
				if ptw == tb.ptws[j] {
					tb.ptws[0], tb.ptws[j] = tb.ptws[j], tb.ptws[0]
					break
				}
			}
			tb.ptwsLock.Unlock()
		}

		// Fast path - add all the rows into the ptw.
		ptw.pt.AddRows(rows)
		return true
	}
	return false
}

// MustDropBefore removes the partitions outside the retention.
func (tb *table) MustDropBefore(minTs int64) {
	var drop []*partitionWrapper
	tb.ptwsLock.Lock()
	dst := make([]*partitionWrapper, 0, len(tb.ptws))
	for _, ptw := range tb.ptws {
		if ptw.pt.maxTs < minTs {
			drop = append(drop, ptw)
		} else {
			dst = append(dst, ptw)
		}
	}
	tb.ptws = dst
	tb.ptwsLock.Unlock()

	// Remove the reference of tb.ptws.
	for _, ptw := range drop {
		ptw.decRef()
	}
}
