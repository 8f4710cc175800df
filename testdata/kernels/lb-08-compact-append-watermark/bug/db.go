package tsdb

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// DB handles reads and writes of time series falling into
// a hashed partition of a seriedb.
type DB struct {
	dir       string
	logger    *slog.Logger
	compactor func(dir string, samples map[seriesRef][]sample) error

	head *Head

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex
}

// selectedSeriesHead is a view of some series of the head in a range of time.
type selectedSeriesHead struct {
	head       *Head
	mint, maxt int64
	refs       []seriesRef
}

// read returns the samples of the view which are visible by isolation.
func (v *selectedSeriesHead) read() map[seriesRef][]sample {
	isoState := v.head.iso.State()
	res := map[seriesRef][]sample{}
	for _, ref := range v.refs {
		s := v.head.getByID(ref)
		if s == nil {
			continue
		}
		s.Lock()
		for _, smpl := range s.samples {
			if smpl.t < v.mint || smpl.t > v.maxt || smpl.appendID > isoState.maxAppendID {
				continue
			}
			if _, ok := isoState.incompleteAppends[smpl.appendID]; ok {
				continue
			}
			res[ref] = append(res[ref], smpl)
		}
		s.Unlock()
	}
	return res
}

// compactHeadViewLocked writes a sequence of blocks, one per chunk range, for the
// given series of the head, then removes those series from the head.
// The caller must hold db.cmtx.
func (db *DB) compactHeadViewLocked(refs []seriesRef) error {
	// Capture the head's current append-ID as an eviction watermark before
	// writing any blocks.
	//
	// The generated blocks are guaranteed to contain all samples with
	// appendID <= watermark. Samples appended later (appendID > watermark)
	// may or may not be present, depending on when each block writer takes
	// its isolation snapshot.
	//
	// Eviction uses the watermark as a safety guard: a series is removed
	// only if it has not received any samples with appendID > watermark
	// since compaction began.
	appendIDWatermark := db.head.iso.lastAppendID()
	mint, maxt := db.head.chunkRange*(db.head.minTime.Load()/db.head.chunkRange), db.head.maxTime.Load()
	for ; mint <= maxt; mint += db.head.chunkRange {
		view := &selectedSeriesHead{head: db.head, mint: mint, maxt: mint + db.head.chunkRange - 1, refs: refs}
		if err := db.compactor(db.dir, view.read()); err != nil {
			return fmt.Errorf("persist head portion: %w", err)
		}
		db.logger.Info("Head portion block created", "min_time", view.mint, "max_time", view.maxt)
	}

	db.head.truncateSelectedSeries(refs, maxt, appendIDWatermark)
	return nil
}

// CompactSelectedSeries writes the provided series into one or more blocks (one per chunk range)
// and evicts them from the head without advancing HeadMinTime.
//
// Series that received new samples after the ref list was collected are skipped during eviction
// and remain in the head. They may be reconsidered during a subsequent compaction cycle.
func (db *DB) CompactSelectedSeries(refs []seriesRef) error {
	if len(refs) == 0 {
		return nil
	}

	db.cmtx.Lock()
	defer db.cmtx.Unlock()

	slices.Sort(refs)
	return db.compactHeadViewLocked(slices.Compact(refs))
}
