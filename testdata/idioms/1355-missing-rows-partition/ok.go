package storage

import (
	"sync"
	"time"
)

const msecPerMonth = 31 * 24 * 3600 * 1000

type rawRow struct {
	MetricID  uint64
	Timestamp int64
	Value     float64
}

// partition holds the rows of a month.
type partition struct {
	mu    sync.Mutex
	month int64
	rows  []rawRow
}

func (pt *partition) HasTimestamp(timestamp int64) bool {
	return timestamp/msecPerMonth == pt.month
}

func (pt *partition) AddRows(rows []rawRow) {
	pt.mu.Lock()
	pt.rows = append(pt.rows, rows...)
	pt.mu.Unlock()
}

type table struct {
	retention time.Duration

	ptwsLock sync.Mutex
	ptws     []*partition
}

// newTable returns a table without partitions. Partitions are only removed when
// the process is not running.
func newTable(retention time.Duration) *table {
	return &table{retention: retention}
}

// GetAllPartitions appends all the partitions to dst.
func (tb *table) GetAllPartitions(dst []*partition) []*partition {
	tb.ptwsLock.Lock()
	defer tb.ptwsLock.Unlock()
	return append(dst, tb.ptws...)
}

// MustAddRows adds the given rows to the table.
func (tb *table) MustAddRows(rows []rawRow) {
	if len(rows) == 0 {
		return
	}

	// Verify whether all the rows may be added to a single partition.
	ptws := tb.GetAllPartitions(nil)
	for i, pt := range ptws {
		singlePt := true
		for j := range rows {
			if !pt.HasTimestamp(rows[j].Timestamp) {
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
				if pt == tb.ptws[j] {
					tb.ptws[0], tb.ptws[j] = tb.ptws[j], tb.ptws[0]
					break
				}
			}
			tb.ptwsLock.Unlock()
		}

		// Fast path - add all the rows into the partition.
		pt.AddRows(rows)
		return
	}

	// Slower path - split rows into per-partition buckets.
	ptBuckets := make(map[*partition][]rawRow)
	var missingRows []rawRow
	for i := range rows {
		r := &rows[i]
		ptFound := false
		for _, pt := range ptws {
			if pt.HasTimestamp(r.Timestamp) {
				ptBuckets[pt] = append(ptBuckets[pt], *r)
				ptFound = true
				break
			}
		}
		if !ptFound {
			missingRows = append(missingRows, *r)
		}
	}
	for pt, ptRows := range ptBuckets {
		pt.AddRows(ptRows)
	}
	if len(missingRows) == 0 {
		return
	}

	// The slowest path - there are rows that don't fit any existing partition.
	// Create new partitions for these rows.
	// Do this under tb.ptwsLock.
	minTimestamp := time.Now().Add(-tb.retention).UnixMilli()
	tb.ptwsLock.Lock()
	for i := range missingRows {
		r := &missingRows[i]
		if r.Timestamp < minTimestamp {
			// Silently skip row outside retention, since it should be deleted anyway.
			continue
		}

		// Make sure the partition for the r hasn't been added by another goroutines.
		ptFound := false
		for _, pt := range tb.ptws {
			if pt.HasTimestamp(r.Timestamp) {
				ptFound = true
				pt.AddRows(missingRows[i : i+1])
				break
			}
		}
		if ptFound {
			continue
		}

		pt := &partition{month: r.Timestamp / msecPerMonth}
		pt.AddRows(missingRows[i : i+1])
		tb.ptws = append(tb.ptws, pt)
	}
	tb.ptwsLock.Unlock()
}
