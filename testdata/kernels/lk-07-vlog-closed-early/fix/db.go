package badger

import (
	"errors"
	"log"
	"os"
	"sort"
	"sync"
	"time"
)

var (
	ErrBlockedWrites = errors.New("writes are blocked")
	errFillTables    = errors.New("unable to fill tables")
)

type closer struct {
	closed  chan struct{}
	waiting sync.WaitGroup
}

func newCloser(initial int) *closer {
	c := &closer{closed: make(chan struct{})}
	c.waiting.Add(initial)
	return c
}

func (c *closer) Done() { c.waiting.Done() }

func (c *closer) SignalAndWait() {
	close(c.closed)
	c.waiting.Wait()
}

type Options struct {
	Dir              string
	NumCompactors    int
	CompactL0OnClose bool
}

type entry struct {
	Key   string
	Value []byte
}

// DB keeps small keys in the LSM tree and the values in the value log.
type DB struct {
	opt  Options
	lock sync.RWMutex // Guards mt and imm.
	mt   map[string]valuePointer
	imm  []map[string]valuePointer

	lc        *levelsController
	vlog      *valueLog
	writeCh   chan entry
	flushChan chan map[string]valuePointer
	closeOnce sync.Once

	writeMu     sync.RWMutex // Held for reading while an entry is sent to writeCh.
	blockWrites bool

	closers struct {
		writes     *closer
		memtable   *closer
		compactors *closer
	}
}

func Open(opt Options) (*DB, error) {
	db := &DB{
		opt:       opt,
		mt:        make(map[string]valuePointer),
		writeCh:   make(chan entry, 1000),
		flushChan: make(chan map[string]valuePointer, 5),
	}
	var err error
	if db.vlog, err = openValueLog(opt.Dir); err != nil {
		return nil, err
	}
	db.lc = newLevelsController(db)

	db.closers.compactors = newCloser(opt.NumCompactors)
	for i := 0; i < opt.NumCompactors; i++ {
		go db.lc.runCompactor(i, db.closers.compactors)
	}
	db.closers.memtable = newCloser(1)
	go db.flushMemtable(db.closers.memtable)
	db.closers.writes = newCloser(1)
	go db.doWrites(db.closers.writes)
	return db, nil
}

// Set adds the entry.
func (db *DB) Set(key string, value []byte) error {
	db.writeMu.RLock()
	defer db.writeMu.RUnlock()
	if db.blockWrites {
		return ErrBlockedWrites
	}
	db.writeCh <- entry{key, value}
	return nil
}

func (db *DB) doWrites(lc *closer) {
	defer lc.Done()
	for {
		select {
		case e := <-db.writeCh:
			db.writeToLSM(e)
		case <-lc.closed:
			for {
				select {
				case e := <-db.writeCh:
					db.writeToLSM(e)
				default:
					return
				}
			}
		}
	}
}

func (db *DB) writeToLSM(e entry) {
	vp, err := db.vlog.write(e.Value)
	if err != nil {
		log.Printf("writing value: %v", err)
		return
	}
	db.lock.Lock()
	defer db.lock.Unlock()
	db.mt[e.Key] = vp
	if len(db.mt) < 1000 {
		return
	}
	select {
	case db.flushChan <- db.mt:
		db.imm = append(db.imm, db.mt)
		db.mt = make(map[string]valuePointer)
	default:
	}
}

func (db *DB) flushMemtable(lc *closer) {
	defer lc.Done()
	for mt := range db.flushChan {
		db.lc.addLevel0Table(mt)
		db.lock.Lock()
		db.imm = db.imm[1:]
		db.lock.Unlock()
	}
}

// Close closes a DB. It's crucial to call it to ensure all the pending updates make their way to
// disk. Calling DB.Close() multiple times would still only close the DB once.
func (db *DB) Close() error {
	var err error
	db.closeOnce.Do(func() {
		err = db.close()
	})
	return err
}

func (db *DB) close() (err error) {
	db.writeMu.Lock()
	db.blockWrites = true
	db.writeMu.Unlock()

	// Stop writes next.
	db.closers.writes.SignalAndWait()

	// Make sure that block writer is done pushing stuff into memtable!
	// Otherwise, you will have a race condition: we are trying to flush memtables
	// and remove them completely, while the block / memtable writer is still
	// trying to push stuff into the memtable.
	for {
		pushedFlushTask := func() bool {
			db.lock.Lock()
			defer db.lock.Unlock()
			select {
			case db.flushChan <- db.mt:
				db.imm = append(db.imm, db.mt) // Flusher will attempt to remove this from s.imm.
				db.mt = nil                    // Will segfault if we try writing!
				return true
			default:
				// If we fail to push, we need to unlock and wait for a short while.
				// The flushing operation needs to update s.imm. Otherwise, we have a
				// deadlock.
			}
			return false
		}()
		if pushedFlushTask {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	db.stopMemoryFlush()
	db.stopCompactions()

	// Force Compact L0
	// We don't need to care about cstatus since no parallel compaction is running.
	if db.opt.CompactL0OnClose {
		switch err := db.lc.doCompact(173); err {
		case errFillTables:
			// This error only means that there might be enough tables to do a compaction. So, we
			// should not report it to the end user to avoid confusing them.
		case nil:
			log.Printf("Force compaction on level 0 done")
		default:
			log.Printf("While forcing compaction on level 0: %v", err)
		}
	}

	// Now close the value log.
	if vlogErr := db.vlog.Close(); vlogErr != nil {
		err = vlogErr
	}

	return err
}

func (db *DB) stopMemoryFlush() {
	// Stop memtable flushes.
	close(db.flushChan)
	db.closers.memtable.SignalAndWait()
}

func (db *DB) stopCompactions() {
	// Stop compactions.
	db.closers.compactors.SignalAndWait()
}

type valuePointer struct {
	Fid    uint32
	Len    uint32
	Offset int64
}

// valueLog keeps the values.
type valueLog struct {
	mu           sync.Mutex
	fd           *os.File
	offset       int64
	discardStats *discardStats
}

func openValueLog(dir string) (*valueLog, error) {
	fd, err := os.Create(dir + "/000001.vlog")
	if err != nil {
		return nil, err
	}
	return &valueLog{fd: fd, discardStats: &discardStats{data: make(map[uint32]int64), fname: dir + "/DISCARD"}}, nil
}

func (vlog *valueLog) write(value []byte) (valuePointer, error) {
	vlog.mu.Lock()
	defer vlog.mu.Unlock()
	n, err := vlog.fd.WriteAt(value, vlog.offset)
	vp := valuePointer{Fid: 1, Len: uint32(n), Offset: vlog.offset}
	vlog.offset += int64(n)
	return vp, err
}

func (vlog *valueLog) updateDiscardStats(stats map[uint32]int64) {
	for fid, discard := range stats {
		vlog.discardStats.Update(fid, discard)
	}
}

func (vlog *valueLog) Close() error {
	vlog.mu.Lock()
	err := vlog.fd.Close()
	vlog.mu.Unlock()
	if terr := vlog.discardStats.Close(); terr != nil && err == nil {
		err = terr
	}
	return err
}

// discardStats keeps track of the amount of data that could be discarded for
// a given logfile.
type discardStats struct {
	sync.Mutex
	data  map[uint32]int64
	fname string
}

// Update would update the discard stats for the given file id.
func (lf *discardStats) Update(fid uint32, discard int64) {
	lf.Lock()
	defer lf.Unlock()
	lf.data[fid] += discard
}

// Close writes the stats and drops them.
func (lf *discardStats) Close() error {
	lf.Lock()
	defer lf.Unlock()
	buf := make([]byte, 0, 16*len(lf.data))
	fids := make([]int, 0, len(lf.data))
	for fid := range lf.data {
		fids = append(fids, int(fid))
	}
	sort.Ints(fids)
	for _, fid := range fids {
		buf = append(buf, byte(fid), byte(fid>>8), byte(lf.data[uint32(fid)]))
	}
	lf.data = nil
	return os.WriteFile(lf.fname, buf, 0666)
}
