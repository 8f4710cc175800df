// Package fix stores rows in parts.
package fix

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type rawRow struct {
	MetricID  uint64
	Timestamp int64
	Value     float64
}

// rawRowsShards spreads pending rows over several locks.
type rawRowsShards struct {
	shardIdx atomic.Uint32
	shards   []rawRowsShard
}

type rawRowsShard struct {
	mu        sync.Mutex
	rows      []rawRow
	lastFlush time.Time
}

func (rrss *rawRowsShards) addRows(rows []rawRow) {
	n := rrss.shardIdx.Add(1)
	rrss.shards[n%uint32(len(rrss.shards))].addRows(rows)
}

func (rrs *rawRowsShard) addRows(rows []rawRow) {
	rrs.mu.Lock()
	defer rrs.mu.Unlock()
	rrs.rows = append(rrs.rows, rows...)
}

func (rrss *rawRowsShards) flush(flushRowss func([][]rawRow), isFinal bool) {
	var dst [][]rawRow
	now := time.Now()
	for i := range rrss.shards {
		dst = rrss.shards[i].appendRawRowsToFlush(dst, now, isFinal)
	}
	flushRowss(dst)
}

func (rrs *rawRowsShard) appendRawRowsToFlush(dst [][]rawRow, now time.Time, isFinal bool) [][]rawRow {
	rrs.mu.Lock()
	defer rrs.mu.Unlock()
	if len(rrs.rows) == 0 || !isFinal && now.Sub(rrs.lastFlush) < time.Second {
		return dst
	}
	dst = append(dst, rrs.rows)
	rrs.rows = nil
	rrs.lastFlush = now
	return dst
}

// part is immutable.
type part struct {
	rows       []rawRow
	minT, maxT int64
}

func mustCreateInmemoryPart(rows []rawRow) *part {
	sort.Slice(rows, func(i, j int) bool { return rows[i].Timestamp < rows[j].Timestamp })
	return &part{rows: rows, minT: rows[0].Timestamp, maxT: rows[len(rows)-1].Timestamp}
}

type partition struct {
	rawRows rawRowsShards

	partsLock     sync.Mutex
	inmemoryParts []*part

	stopCh chan struct{}
	wg     sync.WaitGroup

	// Add and Wait are called from concurrent goroutines.
	flushPendingItemsWG waitGroup
}

// waitGroup is a sync.WaitGroup whose Add may be called concurrently with Wait.
type waitGroup struct {
	mu sync.Mutex
	sync.WaitGroup
}

func (wg *waitGroup) Add(n int) {
	wg.mu.Lock()
	wg.WaitGroup.Add(n)
	wg.mu.Unlock()
}

func (wg *waitGroup) Wait() {
	wg.mu.Lock()
	wg.WaitGroup.Wait()
	wg.mu.Unlock()
}

func mustOpenPartition(shards int) *partition {
	pt := &partition{stopCh: make(chan struct{})}
	pt.rawRows.shards = make([]rawRowsShard, shards)
	pt.wg.Go(pt.pendingRowsFlusher)
	return pt
}

// AddRows adds rows, which become visible with the next flush.
func (pt *partition) AddRows(rows []rawRow) {
	if len(rows) == 0 {
		return
	}
	pt.rawRows.addRows(rows)
}

// DebugFlush makes sure all recently added data is visible to search.
func (pt *partition) DebugFlush() {
	pt.flushPendingRows(true)

	// Wait for background flushers to finish.
	pt.flushPendingItemsWG.Wait()
}

func (pt *partition) pendingRowsFlusher() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-pt.stopCh:
			return
		case <-t.C:
			pt.flushPendingRows(false)
		}
	}
}

func (pt *partition) flushPendingRows(isFinal bool) {
	pt.flushPendingItemsWG.Add(1)
	pt.rawRows.flush(pt.flushRowssToInmemoryParts, isFinal)
	pt.flushPendingItemsWG.Done()
}

func (pt *partition) flushRowssToInmemoryParts(rowss [][]rawRow) {
	pws := make([]*part, len(rowss))
	var wg sync.WaitGroup
	for i, rows := range rowss {
		wg.Go(func() { pws[i] = mustCreateInmemoryPart(rows) })
	}
	wg.Wait()
	pt.partsLock.Lock()
	pt.inmemoryParts = append(pt.inmemoryParts, pws...)
	pt.partsLock.Unlock()
}

// MustClose closes the partition.
func (pt *partition) MustClose() {
	close(pt.stopCh)
	pt.wg.Wait()
	pt.flushPendingRows(true)
}

// search returns the rows of a metric in the given time range.
func (pt *partition) search(metricID uint64, minT, maxT int64) (dst []rawRow) {
	pt.partsLock.Lock()
	parts := pt.inmemoryParts
	pt.partsLock.Unlock()
	for _, p := range parts {
		if p.maxT < minT || p.minT > maxT {
			continue
		}
		for _, r := range p.rows {
			if r.MetricID == metricID && r.Timestamp >= minT && r.Timestamp <= maxT {
				dst = append(dst, r)
			}
		}
	}
	return dst
}
