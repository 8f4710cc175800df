// Package a is a write-ahead log. Writers that wait for the disk at the same
// time share one sync.
package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrClosed = errors.New("wal: closed")
	ErrFuture = errors.New("wal: position was not written yet")
)

// File is the part of *os.File that the log needs.
type File interface {
	Write([]byte) (int, error)
	Sync() error
	Close() error
}

// WAL appends records to a file.
type WAL struct {
	file File

	mu      sync.Mutex
	cond    *sync.Cond
	written int64 // end of what has been written
	synced  int64 // end of what is safe on disk
	syncing bool  // somebody syncs without holding mu
	closed  bool
	err     error // the first failure; after it nothing is written
	syncs   int
}

// New returns a log that writes to an empty file.
func New(f File) *WAL {
	w := &WAL{file: f}
	w.cond = sync.NewCond(&w.mu)
	return w
}

// Append writes a record and returns the position up to which the log has to
// be synced for it.
func (w *WAL) Append(rec []byte) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, ErrClosed
	}
	if w.err != nil {
		return 0, w.err
	}
	if _, err := w.file.Write(rec); err != nil {
		w.err = fmt.Errorf("wal: write: %w", err)
		w.cond.Broadcast()
		return 0, w.err
	}
	w.written += int64(len(rec))
	return w.written, nil
}

// Sync returns when all up to pos is safe.
func (w *WAL) Sync(pos int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if pos > w.written {
		return ErrFuture
	}
	for w.synced < pos && w.err == nil {
		if w.syncing {
			w.cond.Wait()
			continue
		}
		w.syncOnceLocked()
	}
	if w.synced >= pos {
		return nil
	}
	return w.err
}

// syncOnceLocked gives up mu during the sync, which covers at least what had
// been written when it began.
func (w *WAL) syncOnceLocked() {
	w.syncing = true
	target := w.written
	w.mu.Unlock()
	err := w.file.Sync()
	w.mu.Lock()
	w.syncing = false
	w.syncs++
	if err != nil {
		if w.err == nil {
			w.err = fmt.Errorf("wal: sync: %w", err)
		}
	} else {
		w.synced = target
	}
	w.cond.Broadcast()
}

// Commit writes a record and makes it safe.
func (w *WAL) Commit(rec []byte) error {
	pos, err := w.Append(rec)
	if err != nil {
		return err
	}
	return w.Sync(pos)
}

// Position returns the ends of what has been written and of what is safe.
func (w *WAL) Position() (written, synced int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written, w.synced
}

// Syncs returns the number of syncs.
func (w *WAL) Syncs() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.syncs
}

// Close refuses further records, makes the log safe and closes the file.
func (w *WAL) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.closed = true
	for w.syncing || w.synced < w.written && w.err == nil {
		if w.syncing {
			w.cond.Wait()
			continue
		}
		w.syncOnceLocked()
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.err = fmt.Errorf("wal: close: %w", err)
	}
	return w.err
}
