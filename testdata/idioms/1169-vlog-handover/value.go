package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var ErrRetry = errors.New("unable to find log file. Please retry")

type valuePointer struct {
	Fid    uint32
	Len    uint32
	Offset uint32
}

type logFile struct {
	path string
	// This is a lock on the log file. It guards the fd's value, the file's
	// existence and the file's memory map.
	//
	// Use shared ownership when reading/writing the file or memory map, use
	// exclusive ownership to open/close the descriptor, unmap or remove the file.
	lock sync.RWMutex
	fid  uint32
	fd   *os.File
	gone bool
}

// Acquire lock on mmap/file if you are calling this
func (lf *logFile) read(p valuePointer) ([]byte, error) {
	if lf.gone {
		return nil, ErrRetry
	}
	buf := make([]byte, p.Len)
	_, err := lf.fd.ReadAt(buf, int64(p.Offset))
	return buf, err
}

type valueLog struct {
	dirPath string

	// guards our view of which files exist, which to be deleted, how many active iterators
	filesLock sync.RWMutex
	filesMap  map[uint32]*logFile
	maxFid    uint32

	writableLogOffset atomic.Uint32
}

func (vlog *valueLog) fpath(fid uint32) string {
	return filepath.Join(vlog.dirPath, fmt.Sprintf("%06d.vlog", fid))
}

func (vlog *valueLog) woffset() uint32 {
	return vlog.writableLogOffset.Load()
}

// createVlogFile is called by the one write routine when the current file is full.
func (vlog *valueLog) createVlogFile() (*logFile, error) {
	vlog.filesLock.RLock()
	fid := vlog.maxFid + 1
	vlog.filesLock.RUnlock()

	path := vlog.fpath(fid)
	fd, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0600)
	if err != nil {
		return nil, err
	}
	lf := &logFile{fid: fid, path: path, fd: fd}

	vlog.filesLock.Lock()
	vlog.filesMap[fid] = lf
	vlog.maxFid = fid
	// writableLogOffset is only written by write func, by read by Read func.
	vlog.writableLogOffset.Store(0)
	vlog.filesLock.Unlock()
	return lf, nil
}

// write appends the value to the current file. It is called by the one write routine.
func (vlog *valueLog) write(lf *logFile, val []byte) (valuePointer, error) {
	p := valuePointer{Fid: lf.fid, Offset: vlog.woffset(), Len: uint32(len(val))}
	lf.lock.RLock()
	_, err := lf.fd.WriteAt(val, int64(p.Offset))
	lf.lock.RUnlock()
	if err != nil {
		return p, err
	}
	vlog.writableLogOffset.Store(p.Offset + p.Len)
	return p, nil
}

// Gets the logFile and acquires and RLock() for the mmap. You must call RUnlock on the file
// (if non-nil)
func (vlog *valueLog) getFileRLocked(vp valuePointer) (*logFile, error) {
	vlog.filesLock.RLock()
	defer vlog.filesLock.RUnlock()
	ret, ok := vlog.filesMap[vp.Fid]
	if !ok {
		// log file has gone away, we can't do anything. Return.
		return nil, fmt.Errorf("file with ID: %d not found: %w", vp.Fid, ErrRetry)
	}

	// Check for valid offset if we are reading from writable log.
	if vp.Fid == vlog.maxFid {
		currentOffset := vlog.woffset()
		if vp.Offset >= currentOffset {
			return nil, fmt.Errorf(
				"Invalid value pointer offset: %d greater than current offset: %d",
				vp.Offset, currentOffset)
		}
	}

	ret.lock.RLock()
	return ret, nil
}

// Read reads the value log at a given location. The callback has to be called
// when the value is not needed any more.
func (vlog *valueLog) Read(vp valuePointer) ([]byte, func(), error) {
	lf, err := vlog.getFileRLocked(vp)
	if err != nil {
		return nil, nil, err
	}
	buf, err := lf.read(vp)
	return buf, vlog.getUnlockCallback(lf), err
}

// getUnlockCallback will returns a function which unlock the logfile if the logfile is mmaped.
func (vlog *valueLog) getUnlockCallback(lf *logFile) func() {
	if lf == nil {
		return nil
	}
	return lf.lock.RUnlock
}

// removeFile is called by the value log GC after the file was rewritten.
func (vlog *valueLog) removeFile(fid uint32) error {
	vlog.filesLock.Lock()
	lf, ok := vlog.filesMap[fid]
	if !ok || fid == vlog.maxFid {
		vlog.filesLock.Unlock()
		return fmt.Errorf("unable to find fid: %d", fid)
	}
	delete(vlog.filesMap, fid)
	vlog.filesLock.Unlock()

	return vlog.deleteLogFile(lf)
}

func (vlog *valueLog) deleteLogFile(lf *logFile) error {
	lf.lock.Lock()
	defer lf.lock.Unlock()
	lf.gone = true
	if err := lf.fd.Close(); err != nil {
		return err
	}
	return os.Remove(lf.path)
}
