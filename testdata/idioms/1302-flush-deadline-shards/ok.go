package storage

import (
	"sync"
	"sync/atomic"
	"time"
)

type rawRow struct {
	TSID      uint64
	Timestamp int64
	Value     float64
}

const maxRawRowsPerShard = 1024

type rawRowsShard struct {
	flushDeadlineMs atomic.Int64

	mu   sync.Mutex
	rows []rawRow
}

func (rrs *rawRowsShard) addRows(rows []rawRow, flushMs int64) []rawRow {
	var rowsToFlush []rawRow
	rrs.mu.Lock()
	if len(rrs.rows) == 0 {
		rrs.flushDeadlineMs.Store(time.Now().UnixMilli() + flushMs)
	}
	rrs.rows = append(rrs.rows, rows...)
	if len(rrs.rows) >= maxRawRowsPerShard {
		rowsToFlush = rrs.rows
		rrs.rows = nil
	}
	rrs.mu.Unlock()
	return rowsToFlush
}

func (rrs *rawRowsShard) appendRawRowsToFlush(dst []rawRow, currentTimeMs int64, isFinal bool) []rawRow {
	flushDeadlineMs := rrs.flushDeadlineMs.Load()
	if !isFinal && currentTimeMs < flushDeadlineMs {
		// Fast path - nothing to flush
		return dst
	}

	// Slow path - move rrs.rows to dst.
	rrs.mu.Lock()
	dst = append(dst, rrs.rows...)
	rrs.rows = rrs.rows[:0]
	rrs.mu.Unlock()
	return dst
}

type partition struct {
	shards   []rawRowsShard
	shardIdx atomic.Uint32
	flush    func(rows []rawRow)
	stopCh   chan struct{}
	wg       sync.WaitGroup
}

func openPartition(shards int, flush func(rows []rawRow)) *partition {
	pt := &partition{shards: make([]rawRowsShard, shards), flush: flush, stopCh: make(chan struct{})}
	pt.wg.Add(1)
	go func() {
		defer pt.wg.Done()
		pt.pendingRowsFlusher()
	}()
	return pt
}

// AddRows may be called from several goroutines.
func (pt *partition) AddRows(rows []rawRow) {
	idx := pt.shardIdx.Add(1) % uint32(len(pt.shards))
	if toFlush := pt.shards[idx].addRows(rows, 1000); len(toFlush) > 0 {
		pt.flush(toFlush)
	}
}

func (pt *partition) pendingRowsFlusher() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-pt.stopCh:
			return
		case <-ticker.C:
			pt.flushPendingRows(false)
		}
	}
}

func (pt *partition) flushPendingRows(isFinal bool) {
	var rows []rawRow
	now := time.Now().UnixMilli()
	for i := range pt.shards {
		rows = pt.shards[i].appendRawRowsToFlush(rows, now, isFinal)
	}
	if len(rows) > 0 {
		pt.flush(rows)
	}
}

// MustClose flushes the remaining rows. AddRows must not be called anymore.
func (pt *partition) MustClose() {
	close(pt.stopCh)
	pt.wg.Wait()
	pt.flushPendingRows(true)
}
