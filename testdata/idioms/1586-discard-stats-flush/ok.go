package a

import (
	"encoding/json"
	"sync"
)

type lfDiscardStats struct {
	sync.Mutex
	m                 map[uint32]int64
	updatesSinceFlush int
}

// DB is the part of the store the value log writes to.
type DB struct {
	mu sync.Mutex
	kv map[string][]byte
}

func (db *DB) set(key string, val []byte) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.kv[key] = val
	return nil
}

type valueLog struct {
	db             *DB
	lfDiscardStats *lfDiscardStats
	flushChan      chan map[uint32]int64
	closed         chan struct{}
}

const (
	lfDiscardStatsKey     = "!badger!discard"
	discardStatsThreshold = 100
)

// updateDiscardStats adds the sizes that a compaction dropped.
func (vlog *valueLog) updateDiscardStats(stats map[uint32]int64) {
	select {
	case vlog.flushChan <- stats:
	case <-vlog.closed:
	}
}

func (vlog *valueLog) merge(stats map[uint32]int64) (flush bool) {
	vlog.lfDiscardStats.Lock()
	defer vlog.lfDiscardStats.Unlock()
	for fid, count := range stats {
		vlog.lfDiscardStats.m[fid] += count
		vlog.lfDiscardStats.updatesSinceFlush++
	}
	if vlog.lfDiscardStats.updatesSinceFlush > discardStatsThreshold {
		vlog.lfDiscardStats.updatesSinceFlush = 0
		return true
	}
	return false
}

// flushLoop is the only goroutine that merges and writes the statistics.
func (vlog *valueLog) flushLoop() error {
	for {
		select {
		case stats := <-vlog.flushChan:
			if vlog.merge(stats) {
				if err := vlog.flushDiscardStats(); err != nil {
					return err
				}
			}
		case <-vlog.closed:
			return vlog.flushDiscardStats()
		}
	}
}

// deleteLogFile forgets the statistics of a file that was removed.
func (vlog *valueLog) deleteLogFile(fid uint32) {
	vlog.lfDiscardStats.Lock()
	defer vlog.lfDiscardStats.Unlock()
	delete(vlog.lfDiscardStats.m, fid)
}

// flushDiscardStats inserts discard stats into badger.
func (vlog *valueLog) flushDiscardStats() error {
	vlog.lfDiscardStats.Lock()
	if len(vlog.lfDiscardStats.m) == 0 {
		vlog.lfDiscardStats.Unlock()
		return nil
	}
	vlog.lfDiscardStats.Unlock()

	return vlog.db.set(lfDiscardStatsKey, vlog.encodedDiscardStats())
}

func (vlog *valueLog) encodedDiscardStats() []byte {
	vlog.lfDiscardStats.Lock()
	defer vlog.lfDiscardStats.Unlock()
	encoded, _ := json.Marshal(vlog.lfDiscardStats.m)
	return encoded
}
