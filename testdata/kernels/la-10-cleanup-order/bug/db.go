package badger

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var errNoValueDir = errors.New("value directory does not exist")

// Options are params for creating DB object.
type Options struct {
	Dir           string
	ValueDir      string
	NumMemtables  int
	NumCompactors int
	CacheSize     int
}

type closers struct {
	updateSize *Closer
	compactors *Closer
	memtable   *Closer
	writes     *Closer
}

type flushTask struct {
	mt *memTable
}

type memTable struct {
	id   uint64
	keys map[string][]byte
}

// DB provides the various functions required to interact with Badger.
// DB is thread-safe.
type DB struct {
	sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.

	opt       Options
	closers   closers
	mt        *memTable
	imm       []*memTable
	lc        *levelsController
	flushChan chan flushTask // For flushing memtables.
	size      atomic.Int64

	blockCache *Cache
	bfCache    *Cache
}

// Open returns a new DB object.
func Open(opt Options) (db *DB, err error) {
	db = &DB{
		opt:       opt,
		mt:        &memTable{keys: make(map[string][]byte)},
		flushChan: make(chan flushTask, opt.NumMemtables),
	}
	// Cleanup all the goroutines started by badger in case of an error.
	defer func() {
		if err != nil {
			log.Printf("Received err: %v. Cleaning up...", err)
			db.cleanup()
			db = nil
		}
	}()

	db.blockCache = NewCache(opt.CacheSize)
	db.bfCache = NewCache(opt.CacheSize / 10)

	db.closers.updateSize = NewCloser(1)
	go db.updateSize(db.closers.updateSize)

	// newLevelsController potentially loads files in directory.
	db.lc = newLevelsController(db)

	db.closers.compactors = NewCloser(opt.NumCompactors)
	db.lc.startCompact(db.closers.compactors)

	db.closers.memtable = NewCloser(1)
	go func() {
		db.flushMemtable(db.closers.memtable) // Need levels controller to be up.
	}()

	if err = db.openVlog(); err != nil {
		return db, fmt.Errorf("during db.vlog.open: %w", err)
	}
	return db, nil
}

func (db *DB) openVlog() error {
	if db.opt.ValueDir == "" {
		return errNoValueDir
	}
	return nil
}

// cleanup stops all the goroutines started by badger. This is used in open to
// cleanup goroutines in case of an error.
func (db *DB) cleanup() {
	db.blockCache.Close()
	db.bfCache.Close()
	db.stopMemoryFlush()
	db.stopCompactions()

	if db.closers.updateSize != nil {
		db.closers.updateSize.Signal()
	}
	if db.closers.writes != nil {
		db.closers.writes.Signal()
	}
}

func (db *DB) stopMemoryFlush() {
	// Stop memtable flushes.
	if db.closers.memtable != nil {
		close(db.flushChan)
		db.closers.memtable.SignalAndWait()
	}
}

func (db *DB) stopCompactions() {
	// Stop compactions.
	if db.closers.compactors != nil {
		db.closers.compactors.SignalAndWait()
	}
}

// flushMemtable must keep running until we send it an empty flushTask. If there
// are errors during handling the flush task, we'll retry indefinitely.
func (db *DB) flushMemtable(lc *Closer) {
	defer lc.Done()

	for ft := range db.flushChan {
		if ft.mt == nil {
			continue
		}
		db.lc.addLevel0Table(ft.mt)
		db.Lock()
		if len(db.imm) > 0 {
			db.imm = db.imm[1:]
		}
		db.Unlock()
	}
}

func (db *DB) updateSize(lc *Closer) {
	defer lc.Done()

	metricsTicker := time.NewTicker(time.Minute)
	defer metricsTicker.Stop()

	for {
		select {
		case <-metricsTicker.C:
			db.RLock()
			db.size.Store(int64(len(db.imm) + 1))
			db.RUnlock()
		case <-lc.HasBeenClosed():
			return
		}
	}
}
