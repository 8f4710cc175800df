package tsdb

import (
	"log"
	"sync"
	"time"
)

type blockWriter interface {
	AddSeries(ref SeriesRef, meta Meta, samples []sample) error
	Close() error
}

// DB handles reads and writes of time series falling into
// a hashed partition of a seriedb.
type DB struct {
	head *Head
	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex

	newWriter func(mint, maxt int64) blockWriter
	stopc     chan struct{}
}

// Open returns a new DB whose compactions run in the background.
func Open(oooCapMax int, newWriter func(mint, maxt int64) blockWriter) *DB {
	db := &DB{
		head:      &Head{series: map[SeriesRef]*memSeries{}, cdm: NewChunkDiskMapper(), oooCapMax: oooCapMax},
		newWriter: newWriter,
		stopc:     make(chan struct{}),
	}
	go db.run()
	return db
}

func (db *DB) run() {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := db.CompactOOOHead(); err != nil {
				log.Print("msg", "compaction failed", "err", err)
			}
		case <-db.stopc:
			return
		}
	}
}

// CompactOOOHead compacts the OOO Head.
func (db *DB) CompactOOOHead() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()

	oooHead := NewOOOCompactionHead(db.head)
	if len(oooHead.postings) == 0 {
		return nil
	}
	if err := db.compactOOO(oooHead); err != nil {
		return err
	}
	db.head.truncateOOO(oooHead.lastMmapRef)
	return nil
}

func (db *DB) compactOOO(oooHead *OOOCompactionHead) error {
	w := db.newWriter(oooHead.mint, oooHead.maxt)
	defer w.Close()

	cr := oooHead.Chunks()
	for _, ref := range oooHead.postings {
		chks, err := oooHead.Series(ref)
		if err != nil {
			return err
		}
		for _, meta := range chks {
			samples, err := cr.Samples(ref, meta)
			if err != nil {
				return err
			}
			if err := w.AddSeries(ref, meta, samples); err != nil {
				return err
			}
		}
	}
	return nil
}
