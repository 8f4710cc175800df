package badger

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Closer holds the two things we need to close a goroutine and wait for it to finish: a chan
// to tell the goroutine to shut down, and a WaitGroup with which to wait for it to finish shutting
// down.
type Closer struct {
	closed  chan struct{}
	waiting sync.WaitGroup
}

// NewCloser constructs a new Closer, with an initial count on the WaitGroup.
func NewCloser(initial int) *Closer {
	ret := &Closer{closed: make(chan struct{})}
	ret.waiting.Add(initial)
	return ret
}

func (lc *Closer) HasBeenClosed() <-chan struct{} { return lc.closed }

// Done calls Done() on the WaitGroup.
func (lc *Closer) Done() { lc.waiting.Done() }

// SignalAndWait calls Signal(), then Wait().
func (lc *Closer) SignalAndWait() {
	close(lc.closed)
	lc.waiting.Wait()
}

type closers struct {
	compactors *Closer
}

// Options are params for creating DB object.
type Options struct {
	Dir           string
	NumCompactors int
	InMemory      bool
	ReadOnly      bool
}

// DB provides the various functions required to interact with Badger.
// DB is thread-safe.
type DB struct {
	closers  closers
	opt      Options
	lc       *levelsController
	vlog     valueLog
	isClosed uint32
}

// Open returns a new DB object.
func Open(opt Options, manifest *Manifest) (*DB, error) {
	db := &DB{opt: opt}

	// newLevelsController potentially loads files in directory.
	db.lc = newLevelsController(db, manifest)

	if !opt.ReadOnly {
		db.closers.compactors = NewCloser(opt.NumCompactors)
		db.lc.startCompact(db.closers.compactors)
	}

	if err := db.vlog.open(db); err != nil {
		return db, err
	}
	return db, nil
}

// Close closes a DB. It's crucial to call it to ensure all the pending updates
// make their way to disk. Calling DB.Close() multiple times is not safe and would
// cause panic.
func (db *DB) Close() error {
	if !atomic.CompareAndSwapUint32(&db.isClosed, 0, 1) {
		return nil
	}
	if db.closers.compactors != nil {
		db.closers.compactors.SignalAndWait()
	}
	return db.vlog.Close()
}

// Manifest lists the tables of the levels.
type Manifest struct {
	Level0 []map[string]valuePointer
}

type levelsController struct {
	sync.Mutex
	kv     *DB
	level0 []map[string]valuePointer
	base   map[string]valuePointer
}

func newLevelsController(db *DB, mf *Manifest) *levelsController {
	return &levelsController{kv: db, level0: mf.Level0, base: make(map[string]valuePointer)}
}

func (s *levelsController) startCompact(lc *Closer) {
	for i := 0; i < s.kv.opt.NumCompactors; i++ {
		go s.runCompactor(lc)
	}
}

func (s *levelsController) runCompactor(lc *Closer) {
	defer lc.Done()

	ticker := time.NewTicker(50 * time.Millisecond)
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

// doCompact moves the oldest table of level 0 to the base level.
func (s *levelsController) doCompact() {
	discardStats := make(map[uint32]int64)

	s.Lock()
	if len(s.level0) == 0 {
		s.Unlock()
		return
	}
	top := s.level0[0]
	s.level0 = s.level0[1:]
	for k, vp := range top {
		if old, ok := s.base[k]; ok {
			discardStats[old.Fid] += int64(old.Len)
		}
		s.base[k] = vp
	}
	s.Unlock()

	s.kv.vlog.updateDiscardStats(discardStats)
	log.Printf("Discard stats: %v", discardStats)
}
