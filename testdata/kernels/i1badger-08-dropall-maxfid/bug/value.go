// Package vlog keeps values in a log of files.
package vlog

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrNoRewrite says that no file is worth a garbage collection.
var ErrNoRewrite = errors.New("value log GC resulted in no rewrite")

// valueLog is a list of files; the one with the highest fid is written.
type valueLog struct {
	fileSize int

	// guards our view of which files exist
	filesLock sync.RWMutex
	filesMap  map[uint32]*logFile

	maxFid atomic.Uint32
}

func newValueLog(fileSize int) *valueLog {
	vlog := &valueLog{fileSize: fileSize, filesMap: make(map[uint32]*logFile)}
	vlog.createVlogFile(0)
	return vlog
}

func (vlog *valueLog) createVlogFile(fid uint32) *logFile {
	lf := &logFile{fid: fid}
	vlog.filesLock.Lock()
	vlog.filesMap[fid] = lf
	vlog.filesLock.Unlock()
	return lf
}

// write appends an entry and returns the file. One writer at a time.
func (vlog *valueLog) write(e entry) (uint32, error) {
	vlog.filesLock.RLock()
	curlf := vlog.filesMap[vlog.maxFid.Load()]
	vlog.filesLock.RUnlock()
	err := curlf.append(e, vlog.fileSize)
	if errors.Is(err, errFull) {
		curlf = vlog.createVlogFile(vlog.maxFid.Add(1))
		err = curlf.append(e, vlog.fileSize)
	}
	return curlf.fid, err
}

// pickLog returns a file that is not written any more.
func (vlog *valueLog) pickLog() *logFile {
	vlog.filesLock.RLock()
	defer vlog.filesLock.RUnlock()
	maxFid := vlog.maxFid.Load()
	var oldest *logFile
	for fid, lf := range vlog.filesMap {
		if fid < maxFid && (oldest == nil || fid < oldest.fid) {
			oldest = lf
		}
	}
	return oldest
}

func (vlog *valueLog) deleteLogFile(lf *logFile) {
	vlog.filesLock.Lock()
	if vlog.filesMap[lf.fid] == lf {
		delete(vlog.filesMap, lf.fid)
	}
	vlog.filesLock.Unlock()
	lf.unmap()
}

// runGC drops the oldest file if none of its entries is in use.
func (vlog *valueLog) runGC(inUse func(lf *logFile) bool) error {
	lf := vlog.pickLog()
	if lf == nil || inUse(lf) {
		return ErrNoRewrite
	}
	vlog.deleteLogFile(lf)
	return nil
}

// dropAll deletes all files and starts again with file 0. No writes run.
func (vlog *valueLog) dropAll() int {
	vlog.filesLock.Lock()
	count := len(vlog.filesMap)
	for _, lf := range vlog.filesMap {
		lf.unmap()
	}
	vlog.filesMap = make(map[uint32]*logFile)
	vlog.filesLock.Unlock()

	vlog.createVlogFile(0)
	vlog.maxFid.Store(0)
	return count
}
