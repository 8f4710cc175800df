package badger

import (
	"encoding/json"
	"log"
	"sync"
	"time"
)

const (
	lfDiscardStatsKey          = "!badger!discard"
	discardStatsFlushThreshold = 4
)

// lfDiscardStats keeps track of the amount of data that could be discarded for
// a given logfile.
type lfDiscardStats struct {
	sync.RWMutex
	m                 map[uint32]int64
	flushChan         chan map[uint32]int64
	closer            *Closer
	updatesSinceFlush int
}

type valueLog struct {
	db             *DB
	lfDiscardStats *lfDiscardStats
}

// init initializes the value log struct. This initialization needs to happen
// before compactions start.
func (vlog *valueLog) init(db *DB) {
	vlog.db = db
	vlog.lfDiscardStats = &lfDiscardStats{
		m:         make(map[uint32]int64),
		flushChan: make(chan map[uint32]int64, 16),
		closer:    NewCloser(1),
	}
}

// open replays the log.
func (vlog *valueLog) open(replayFn func(*Entry) error) error {
	go vlog.flushDiscardStats()
	for _, e := range vlog.db.opt.Log {
		if err := replayFn(e); err != nil {
			return err
		}
	}
	return nil
}

func (vlog *valueLog) Close() {
	vlog.lfDiscardStats.closer.SignalAndWait()
}

func (vlog *valueLog) updateDiscardStats(stats map[uint32]int64) {
	select {
	case vlog.lfDiscardStats.flushChan <- stats:
	default:
		log.Printf("updateDiscardStats called: discard stats flushChan full, " +
			"returning without pushing to flushChan")
	}
}

func (vlog *valueLog) flushDiscardStats() {
	defer vlog.lfDiscardStats.closer.Done()

	mergeStats := func(stats map[uint32]int64) ([]byte, error) {
		vlog.lfDiscardStats.Lock()
		defer vlog.lfDiscardStats.Unlock()
		for fid, count := range stats {
			vlog.lfDiscardStats.m[fid] += count
			vlog.lfDiscardStats.updatesSinceFlush++
		}

		if vlog.lfDiscardStats.updatesSinceFlush > discardStatsFlushThreshold {
			encodedDS, err := json.Marshal(vlog.lfDiscardStats.m)
			if err != nil {
				return nil, err
			}
			vlog.lfDiscardStats.updatesSinceFlush = 0
			return encodedDS, nil
		}
		return nil, nil
	}

	process := func(stats map[uint32]int64) error {
		encodedDS, err := mergeStats(stats)
		if err != nil || encodedDS == nil {
			return err
		}

		entries := []*Entry{{
			Key:   lfDiscardStatsKey,
			Value: encodedDS,
		}}
		req, err := vlog.db.sendToWriteCh(entries)
		if err != nil {
			return err
		}
		return req.Wait()
	}

	closer := vlog.lfDiscardStats.closer
	for {
		select {
		case <-closer.HasBeenClosed():
			// For simplicity just return without processing already present in stats in flushChan.
			return
		case stats := <-vlog.lfDiscardStats.flushChan:
			if err := process(stats); err != nil {
				log.Printf("unable to process discardstats with error: %s", err)
			}
		}
	}
}

type levelsController struct {
	kv     *DB
	level0 []map[string]uint32
}

func newLevelsController(db *DB) *levelsController {
	return &levelsController{kv: db, level0: db.opt.Tables}
}

func (s *levelsController) startCompact(lc *Closer) {
	go s.runCompactor(lc)
}

func (s *levelsController) runCompactor(lc *Closer) {
	defer lc.Done()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		s.doCompact()
		select {
		case <-ticker.C:
		case <-lc.HasBeenClosed():
			return
		}
	}
}

func (s *levelsController) doCompact() {
	if len(s.level0) == 0 {
		return
	}
	discardStats := make(map[uint32]int64)
	for _, fid := range s.level0[0] {
		discardStats[fid]++
	}
	s.level0 = s.level0[1:]
	s.kv.vlog.updateDiscardStats(discardStats)
}
