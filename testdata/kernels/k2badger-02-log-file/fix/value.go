// Package badger keeps values in log files.
package badger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// ErrCorrupt is returned when a value log file is corrupted.
var ErrCorrupt = errors.New("unable to find log. Potential data corruption")

type logFile struct {
	lock   sync.RWMutex
	path   string
	fd     *os.File
	fid    uint16
	offset uint32
	size   uint32
}

// openReadOnly assumes that we have a write lock on logFile.
func (lf *logFile) openReadOnly() error {
	var err error
	lf.fd, err = os.OpenFile(lf.path, os.O_RDONLY, 0666)
	if err != nil {
		return fmt.Errorf("unable to open %q as RDONLY: %w", lf.path, err)
	}

	fi, err := lf.fd.Stat()
	if err != nil {
		return fmt.Errorf("unable to check stat for %q: %w", lf.path, err)
	}
	lf.size = uint32(fi.Size())
	return nil
}

// lf must be RLocked (or exclusively locked) if you call this.
func (lf *logFile) read(buf []byte, offset int64) error {
	_, err := lf.fd.ReadAt(buf, offset)
	return err
}

func (lf *logFile) doneWriting() error {
	lf.lock.Lock()
	defer lf.lock.Unlock()
	if err := lf.fd.Sync(); err != nil {
		return fmt.Errorf("unable to sync value log: %q: %w", lf.path, err)
	}
	if err := lf.fd.Close(); err != nil {
		return fmt.Errorf("unable to close value log: %q: %w", lf.path, err)
	}

	return lf.openReadOnly()
}

// iterate iterates over log file.
func (lf *logFile) iterate(fn func(e Entry, vp ValuePointer) error) error {
	rd := io.NewSectionReader(lf.fd, 0, int64(lf.size))
	for {
		off, _ := rd.Seek(0, io.SeekCurrent)
		var h [headerBufSize]byte
		if _, err := io.ReadFull(rd, h[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		klen, vlen := binary.BigEndian.Uint32(h[:4]), binary.BigEndian.Uint32(h[4:])
		buf := make([]byte, klen+vlen)
		if _, err := io.ReadFull(rd, buf); err != nil {
			return err
		}
		vp := ValuePointer{Fid: lf.fid, Len: headerBufSize + klen + vlen, Offset: uint32(off)}
		if err := fn(Entry{Key: buf[:klen], Value: buf[klen:]}, vp); err != nil {
			return err
		}
	}
}

// Entry is a key with its value.
type Entry struct {
	Key, Value []byte
}

const headerBufSize = 8

// ValuePointer is the place of an entry.
type ValuePointer struct {
	Fid    uint16
	Len    uint32
	Offset uint32
}

// KV is the LSM tree.
type KV interface {
	// IsLatest reports if the tree still points there.
	IsLatest(key []byte, vp ValuePointer) bool
	// BatchSet writes the entries to the end of the log.
	BatchSet(entries []Entry) error
}

// ValueLog is a sequence of log files, of which the last is written.
type ValueLog struct {
	sync.RWMutex
	buf     bytes.Buffer
	dirPath string
	files   []*logFile
	kv      KV
	maxFid  uint32
	maxSize uint32
}

// Open makes an empty value log and starts its garbage collection.
func Open(dir string, kv KV, maxSize uint32, interval time.Duration, closed <-chan struct{}) (*ValueLog, error) {
	vlog := &ValueLog{dirPath: dir, kv: kv, maxSize: maxSize}
	if _, err := vlog.createVlogFile(0); err != nil {
		return nil, err
	}
	go vlog.runGCInLoop(interval, closed)
	return vlog, nil
}

func (vlog *ValueLog) fpath(fid uint16) string {
	return filepath.Join(vlog.dirPath, fmt.Sprintf("%06d.vlog", fid))
}

func (vlog *ValueLog) createVlogFile(fid uint16) (*logFile, error) {
	path := vlog.fpath(fid)
	lf := &logFile{fid: fid, path: path}
	var err error
	if lf.fd, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0666); err != nil {
		return nil, fmt.Errorf("unable to create value log: %w", err)
	}
	vlog.Lock()
	vlog.files = append(vlog.files, lf)
	vlog.Unlock()
	return lf, nil
}

// Write is thread-unsafe by design and should not be called concurrently.
func (vlog *ValueLog) Write(entries []Entry) ([]ValuePointer, error) {
	vlog.RLock()
	curlf := vlog.files[len(vlog.files)-1]
	vlog.RUnlock()

	var ptrs []ValuePointer
	for _, e := range entries {
		p := ValuePointer{Fid: curlf.fid, Offset: curlf.offset + uint32(vlog.buf.Len())}
		p.Len = encodeEntry(e, &vlog.buf)
		ptrs = append(ptrs, p)
	}
	n, err := curlf.fd.Write(vlog.buf.Bytes())
	if err != nil {
		return nil, fmt.Errorf("unable to write to value log file: %q: %w", curlf.path, err)
	}
	curlf.offset += uint32(n)
	vlog.buf.Reset()

	if curlf.offset > vlog.maxSize {
		if err := curlf.doneWriting(); err != nil {
			return nil, err
		}
		newid := atomic.AddUint32(&vlog.maxFid, 1)
		if _, err := vlog.createVlogFile(uint16(newid)); err != nil {
			return nil, err
		}
	}
	return ptrs, nil
}

func encodeEntry(e Entry, buf *bytes.Buffer) uint32 {
	var h [headerBufSize]byte
	binary.BigEndian.PutUint32(h[:4], uint32(len(e.Key)))
	binary.BigEndian.PutUint32(h[4:], uint32(len(e.Value)))
	buf.Write(h[:])
	buf.Write(e.Key)
	buf.Write(e.Value)
	return uint32(headerBufSize + len(e.Key) + len(e.Value))
}

// Gets the logFile and acquires an RLock() on it too.  You must call RUnlock on the file (if
// non-nil).
func (vlog *ValueLog) getFileRLock(fid uint16) (*logFile, error) {
	vlog.RLock()
	defer vlog.RUnlock()

	idx := sort.Search(len(vlog.files), func(idx int) bool {
		return vlog.files[idx].fid >= fid
	})
	if idx == len(vlog.files) || vlog.files[idx].fid != fid {
		return nil, ErrCorrupt
	}
	ret := vlog.files[idx]
	ret.lock.RLock()
	return ret, nil
}

// Read reads the value log at a given location.
func (vlog *ValueLog) Read(p ValuePointer) (e Entry, err error) {
	lf, err := vlog.getFileRLock(p.Fid)
	if err != nil {
		return e, err
	}
	defer lf.lock.RUnlock()

	buf := make([]byte, p.Len)
	if err := lf.read(buf, int64(p.Offset)); err != nil {
		return e, err
	}
	klen := binary.BigEndian.Uint32(buf)
	e.Key = buf[headerBufSize : headerBufSize+klen]
	e.Value = buf[headerBufSize+klen:]
	return e, nil
}

func (vlog *ValueLog) runGCInLoop(interval time.Duration, closed <-chan struct{}) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-closed:
			return
		case <-tick.C:
			if lf := vlog.pickLog(); lf != nil {
				if err := vlog.rewrite(lf); err != nil {
					log.Printf("Error while rewriting %d: %v", lf.fid, err)
				}
			}
		}
	}
}

func (vlog *ValueLog) pickLog() *logFile {
	vlog.RLock()
	defer vlog.RUnlock()
	if len(vlog.files) <= 1 {
		return nil
	}
	// This file shouldn't be being written to.
	return vlog.files[rand.Intn(len(vlog.files)-1)]
}

func (vlog *ValueLog) rewrite(f *logFile) error {
	var wb []Entry
	err := f.iterate(func(e Entry, vp ValuePointer) error {
		if vlog.kv.IsLatest(e.Key, vp) {
			wb = append(wb, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := vlog.kv.BatchSet(wb); err != nil {
		return err
	}

	// Entries written to LSM. Remove the older file now.
	{
		vlog.Lock()
		idx := sort.Search(len(vlog.files), func(idx int) bool {
			return vlog.files[idx].fid >= f.fid
		})
		if idx == len(vlog.files) || vlog.files[idx].fid != f.fid {
			vlog.Unlock()
			return fmt.Errorf("unable to find fid: %d", f.fid)
		}
		vlog.files = append(vlog.files[:idx], vlog.files[idx+1:]...)
		vlog.Unlock()
	}

	// Exclusively lock the file so that there are no readers before closing/destroying it
	f.lock.Lock()
	rem := vlog.fpath(f.fid)
	f.fd.Close() // close file previous to remove it
	f.lock.Unlock()

	return os.Remove(rem)
}
