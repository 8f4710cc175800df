package badger

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrNoRewrite = errors.New("Value log GC attempt didn't result in any cleanup")
	ErrRejected  = errors.New("Value log GC request rejected")
)

// Closer holds the two things we need to close a goroutine and wait for it to finish.
type Closer struct {
	closed  chan struct{}
	waiting sync.WaitGroup
}

func NewCloser(initial int) *Closer {
	ret := &Closer{closed: make(chan struct{})}
	ret.waiting.Add(initial)
	return ret
}

// SignalAndWait calls Signal(), then Wait().
func (lc *Closer) SignalAndWait() {
	close(lc.closed)
	lc.waiting.Wait()
}

type logFile struct {
	lock    sync.RWMutex
	fid     uint32
	size    int64
	entries map[string][]byte
}

type valueLog struct {
	// guards our view of which files exist, which to be deleted, how many active iterators
	filesLock        sync.RWMutex
	filesMap         map[uint32]*logFile
	maxFid           uint32
	index            map[string]uint32 // file that holds the live value of a key
	filesToBeDeleted []uint32
	// A refcount of iterators -- when this hits zero, we can delete the filesToBeDeleted.
	numActiveIterators atomic.Int32

	garbageCh    chan struct{}
	discardStats *discardStats
	gcCloser     *Closer
}

type discardStats struct {
	sync.Mutex
	m map[uint32]int64
}

func (lf *discardStats) Update(fid uint32, discard int64) {
	lf.Lock()
	defer lf.Unlock()
	if discard < 0 {
		delete(lf.m, fid)
		return
	}
	lf.m[fid] += discard
}

// MaxDiscard returns the file id with maximum discard bytes.
func (lf *discardStats) MaxDiscard() (uint32, int64) {
	lf.Lock()
	defer lf.Unlock()
	var maxFid uint32
	var maxVal int64
	for fid, val := range lf.m {
		if maxVal < val {
			maxVal, maxFid = val, fid
		}
	}
	return maxFid, maxVal
}

func openValueLog() *valueLog {
	vlog := &valueLog{
		filesMap:     map[uint32]*logFile{1: {fid: 1, entries: make(map[string][]byte)}},
		maxFid:       1,
		index:        make(map[string]uint32),
		garbageCh:    make(chan struct{}, 1), // Only allow one GC at a time.
		discardStats: &discardStats{m: make(map[uint32]int64)},
		gcCloser:     NewCloser(1),
	}
	go vlog.waitOnGC(vlog.gcCloser)
	return vlog
}

func (vlog *valueLog) waitOnGC(lc *Closer) {
	defer lc.waiting.Done()

	<-lc.closed // Wait for lc to be closed.

	// Block any GC in progress to finish, and don't allow any more writes to runGC by filling up
	// the channel of size 1.
	vlog.garbageCh <- struct{}{}
}

// Close must be called once.
func (vlog *valueLog) Close() {
	vlog.gcCloser.SignalAndWait()

	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	vlog.filesMap = make(map[uint32]*logFile)
}

// write appends to the newest file.
func (vlog *valueLog) write(key string, val []byte) {
	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	if fid, ok := vlog.index[key]; ok {
		vlog.discardStats.Update(fid, int64(len(val)))
	}
	vlog.appendLocked(key, val)
}

// appendLocked starts a new file when the newest one is full.
func (vlog *valueLog) appendLocked(key string, val []byte) {
	lf := vlog.filesMap[vlog.maxFid]
	if lf == nil {
		return
	}
	lf.lock.Lock()
	lf.entries[key] = val
	lf.size += int64(len(val))
	full := lf.size > 1<<20
	lf.lock.Unlock()
	vlog.index[key] = vlog.maxFid
	if full {
		vlog.maxFid++
		vlog.filesMap[vlog.maxFid] = &logFile{fid: vlog.maxFid, entries: make(map[string][]byte)}
	}
}

// move writes an entry of an old file again, unless the key was written since.
func (vlog *valueLog) move(fid uint32, key string, val []byte) {
	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	if vlog.index[key] == fid {
		vlog.appendLocked(key, val)
	}
}

func (vlog *valueLog) pickLog(discardRatio float64) *logFile {
	vlog.filesLock.RLock()
	defer vlog.filesLock.RUnlock()

	// Pick a candidate that contains the largest amount of discardable data
	fid, discard := vlog.discardStats.MaxDiscard()
	lf, ok := vlog.filesMap[fid]
	// MaxDiscard will return fid=0 if it doesn't have any discard data. The
	// vlog files start from 1. The newest file is still written to.
	if !ok || fid >= vlog.maxFid {
		return nil
	}
	lf.lock.RLock()
	defer lf.lock.RUnlock()
	if float64(discard) < discardRatio*float64(lf.size) {
		return nil
	}
	return lf
}

func (vlog *valueLog) rewrite(f *logFile) {
	f.lock.RLock()
	entries := make(map[string][]byte, len(f.entries))
	for k, v := range f.entries {
		entries[k] = v
	}
	f.lock.RUnlock()
	for k, v := range entries {
		vlog.move(f.fid, k, v)
	}

	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	if vlog.numActiveIterators.Load() == 0 {
		delete(vlog.filesMap, f.fid)
	} else {
		vlog.filesToBeDeleted = append(vlog.filesToBeDeleted, f.fid)
	}
}

func (vlog *valueLog) incrIteratorCount() {
	vlog.filesLock.RLock()
	defer vlog.filesLock.RUnlock()
	vlog.numActiveIterators.Add(1)
}

func (vlog *valueLog) decrIteratorCount() {
	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	if vlog.numActiveIterators.Add(-1) != 0 {
		return
	}
	for _, id := range vlog.filesToBeDeleted {
		delete(vlog.filesMap, id)
	}
	vlog.filesToBeDeleted = nil
}

func (vlog *valueLog) doRunGC(lf *logFile) error {
	vlog.rewrite(lf)
	// Remove the file from discardStats.
	vlog.discardStats.Update(lf.fid, -1)
	return nil
}

func (vlog *valueLog) runGC(discardRatio float64) error {
	select {
	case vlog.garbageCh <- struct{}{}:
		// Pick a log file for GC.
		defer func() {
			<-vlog.garbageCh
		}()

		lf := vlog.pickLog(discardRatio)
		if lf == nil {
			return ErrNoRewrite
		}
		return vlog.doRunGC(lf)
	default:
		return ErrRejected
	}
}
