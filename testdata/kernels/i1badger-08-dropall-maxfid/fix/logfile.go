package vlog

import (
	"errors"
	"sync"
)

var errFull = errors.New("log file is full")

type entry struct {
	key   string
	value []byte
}

// logFile is one file of the value log.
type logFile struct {
	fid uint32

	lock    sync.Mutex
	entries []entry
	size    int
}

// append writes an entry.
func (lf *logFile) append(e entry, limit int) error {
	lf.lock.Lock()
	defer lf.lock.Unlock()
	if lf.size >= limit {
		return errFull
	}
	lf.entries = append(lf.entries, e)
	lf.size += len(e.key) + len(e.value)
	return nil
}

// unmap gives up the contents.
func (lf *logFile) unmap() {
	lf.lock.Lock()
	lf.entries = nil
	lf.lock.Unlock()
}
