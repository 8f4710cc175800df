package badger

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

type valuePointer struct {
	Fid    uint32
	Len    uint32
	Offset uint32
}

// lfDiscardStats keeps track of the amount of data that could be discarded for
// a given logfile.
type lfDiscardStats struct {
	sync.RWMutex
	m         map[uint32]int64
	flushChan chan map[uint32]int64
	closer    *Closer
}

type logFile struct {
	path string
	fd   *os.File
	fid  uint32
}

type valueLog struct {
	dirPath string

	// guards our view of which files exist
	filesLock sync.RWMutex
	filesMap  map[uint32]*logFile

	maxFid         atomic.Uint32 // accessed via atomics.
	lfDiscardStats atomic.Pointer[lfDiscardStats]
}

func (vlog *valueLog) fpath(fid uint32) string {
	return filepath.Join(vlog.dirPath, fmt.Sprintf("%06d.vlog", fid))
}

func (vlog *valueLog) createVlogFile(fid uint32) (*logFile, error) {
	lf := &logFile{fid: fid, path: vlog.fpath(fid)}
	fd, err := os.OpenFile(lf.path, os.O_CREATE|os.O_RDWR, 0666)
	if err != nil {
		return nil, err
	}
	lf.fd = fd

	vlog.filesLock.Lock()
	vlog.filesMap[fid] = lf
	vlog.filesLock.Unlock()
	return lf, nil
}

// init initializes the value log struct. This initialization needs to happen
// before compactions start.
func (vlog *valueLog) init(db *DB) {
	vlog.dirPath = db.opt.Dir
	vlog.filesLock.Lock()
	vlog.filesMap = make(map[uint32]*logFile)
	vlog.filesLock.Unlock()
	vlog.lfDiscardStats.Store(&lfDiscardStats{
		m:         make(map[uint32]int64),
		flushChan: make(chan map[uint32]int64, 16),
		closer:    NewCloser(1),
	})
}

func (vlog *valueLog) open(db *DB) error {
	go vlog.flushDiscardStats()
	if db.opt.InMemory {
		return nil
	}
	_, err := vlog.createVlogFile(0)
	return err
}

func (vlog *valueLog) Close() error {
	vlog.lfDiscardStats.Load().closer.SignalAndWait()

	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	var err error
	for _, f := range vlog.filesMap {
		if cerr := f.fd.Close(); cerr != nil && err == nil {
			err = cerr
		}
	}
	return err
}

// updateDiscardStats hands the stats of a compaction to the flusher.
func (vlog *valueLog) updateDiscardStats(stats map[uint32]int64) {
	select {
	case vlog.lfDiscardStats.Load().flushChan <- stats:
	default:
		log.Printf("updateDiscardStats called: discard stats flushChan full, " +
			"returning without pushing to flushChan")
	}
}

func (vlog *valueLog) flushDiscardStats() {
	ds := vlog.lfDiscardStats.Load()
	defer ds.closer.Done()

	for {
		select {
		case <-ds.closer.HasBeenClosed():
			// For simplicity just return without processing already present in stats in flushChan.
			return
		case stats := <-ds.flushChan:
			ds.Lock()
			for fid, count := range stats {
				ds.m[fid] += count
			}
			ds.Unlock()
		}
	}
}

// discardFor returns what could be reclaimed of a file.
func (vlog *valueLog) discardFor(fid uint32) int64 {
	ds := vlog.lfDiscardStats.Load()
	ds.RLock()
	defer ds.RUnlock()
	return ds.m[fid]
}
