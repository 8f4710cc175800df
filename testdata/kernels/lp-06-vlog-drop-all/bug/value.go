package badger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var (
	// ErrRetry is returned when a log file containing the value is not found.
	ErrRetry = errors.New("unable to find log file, please retry")
	// ErrKeyNotFound is returned when key isn't found.
	ErrKeyNotFound   = errors.New("key not found")
	errBlockedWrites = errors.New("writes are blocked, possibly due to DropAll")
)

type valuePointer struct {
	Fid    uint32
	Len    uint32
	Offset uint32
}

type logFile struct {
	path string
	// Use shared ownership when reading/writing the file, exclusive ownership
	// to open/close the descriptor or remove the file.
	lock sync.RWMutex
	fd   *os.File
	fid  uint32
}

func (lf *logFile) read(p valuePointer) ([]byte, error) {
	buf := make([]byte, p.Len)
	_, err := lf.fd.ReadAt(buf, int64(p.Offset))
	return buf, err
}

type valueLog struct {
	dirPath string

	// guards our view of which files exist
	filesLock sync.RWMutex
	filesMap  map[uint32]*logFile

	maxFid            uint32 // accessed via atomics.
	writableLogOffset uint32 // accessed via atomics.
}

func (vlog *valueLog) fpath(fid uint32) string {
	return filepath.Join(vlog.dirPath, fmt.Sprintf("%06d.vlog", fid))
}

func (vlog *valueLog) createVlogFile(fid uint32) (*logFile, error) {
	lf := &logFile{fid: fid, path: vlog.fpath(fid)}
	atomic.StoreUint32(&vlog.writableLogOffset, 0)

	var err error
	if lf.fd, err = os.Create(lf.path); err != nil {
		return nil, err
	}
	vlog.filesLock.Lock()
	vlog.filesMap[fid] = lf
	vlog.filesLock.Unlock()
	return lf, nil
}

func (vlog *valueLog) deleteLogFile(lf *logFile) error {
	lf.lock.Lock()
	defer lf.lock.Unlock()
	if err := lf.fd.Close(); err != nil {
		return err
	}
	return os.Remove(lf.path)
}

func (vlog *valueLog) dropAll() (int, error) {
	var count int
	deleteAll := func() error {
		vlog.filesLock.Lock()
		defer vlog.filesLock.Unlock()
		for _, lf := range vlog.filesMap {
			if err := vlog.deleteLogFile(lf); err != nil {
				return err
			}
			count++
		}
		return nil
	}
	if err := deleteAll(); err != nil {
		return count, err
	}
	vlog.filesLock.Lock()
	vlog.filesMap = make(map[uint32]*logFile)
	vlog.filesLock.Unlock()

	fid := atomic.LoadUint32(&vlog.maxFid) + 1
	if _, err := vlog.createVlogFile(fid); err != nil {
		return count, err
	}
	atomic.StoreUint32(&vlog.maxFid, fid)
	return count, nil
}

func (vlog *valueLog) getFileRLocked(fid uint32) (*logFile, error) {
	vlog.filesLock.RLock()
	defer vlog.filesLock.RUnlock()
	ret, ok := vlog.filesMap[fid]
	if !ok {
		// log file has gone away, will need to retry the operation.
		return nil, ErrRetry
	}
	ret.lock.RLock()
	return ret, nil
}

// Read reads the entry the value pointer points to.
func (vlog *valueLog) Read(vp valuePointer) ([]byte, error) {
	lf, err := vlog.getFileRLocked(vp.Fid)
	if err != nil {
		return nil, err
	}
	buf, err := lf.read(vp)
	lf.lock.RUnlock()
	if err != nil {
		return nil, err
	}
	klen := binary.LittleEndian.Uint16(buf)
	return buf[2+klen:], nil
}

// write is only called by the writer, with writes admitted.
func (vlog *valueLog) write(key, val []byte) (valuePointer, error) {
	fid := atomic.LoadUint32(&vlog.maxFid)
	lf, err := vlog.getFileRLocked(fid)
	if err != nil {
		return valuePointer{}, err
	}
	defer lf.lock.RUnlock()
	buf := binary.LittleEndian.AppendUint16(nil, uint16(len(key)))
	buf = append(append(buf, key...), val...)
	n := uint32(len(buf))
	off := atomic.AddUint32(&vlog.writableLogOffset, n) - n
	if _, err := lf.fd.WriteAt(buf, int64(off)); err != nil {
		return valuePointer{}, err
	}
	return valuePointer{Fid: fid, Len: n, Offset: off}, nil
}

// DB has the keys in memory and the values in the log.
type DB struct {
	sync.RWMutex // Guards the memtable.
	mt           map[string]valuePointer

	writeLock   sync.Mutex
	blockWrites bool
	vlog        valueLog
}

// Open makes an empty DB.
func Open(dir string) (*DB, error) {
	db := &DB{mt: make(map[string]valuePointer)}
	db.vlog.dirPath = dir
	db.vlog.filesMap = make(map[uint32]*logFile)
	_, err := db.vlog.createVlogFile(0)
	return db, err
}

// Get returns the value of the key.
func (db *DB) Get(key []byte) ([]byte, error) {
	for {
		db.RLock()
		vp, ok := db.mt[string(key)]
		db.RUnlock()
		if !ok {
			return nil, ErrKeyNotFound
		}
		val, err := db.vlog.Read(vp)
		if err == ErrRetry {
			continue
		}
		return val, err
	}
}

// Set writes the value.
func (db *DB) Set(key, val []byte) error {
	db.writeLock.Lock()
	defer db.writeLock.Unlock()
	if db.blockWrites {
		return errBlockedWrites
	}
	vp, err := db.vlog.write(key, val)
	if err != nil {
		return err
	}
	db.Lock()
	db.mt[string(key)] = vp
	db.Unlock()
	return nil
}

func (db *DB) setBlockWrites(v bool) {
	db.writeLock.Lock()
	defer db.writeLock.Unlock()
	db.blockWrites = v
}

// DropAll would drop all the data stored in Badger.
func (db *DB) DropAll() error {
	db.setBlockWrites(true)
	defer db.setBlockWrites(false)

	db.Lock()
	db.mt = make(map[string]valuePointer)
	db.Unlock()

	_, err := db.vlog.dropAll()
	return err
}
