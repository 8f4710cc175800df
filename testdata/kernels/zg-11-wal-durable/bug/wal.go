// Package wal is a write-ahead log with group commit: records are buffered, and
// one goroutine writes and syncs them for everybody who waits.
package wal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned by a closed log.
var ErrClosed = errors.New("wal: closed")

// File is what the log needs of an *os.File.
type File interface {
	io.WriteCloser
	Sync() error
}

// LSN numbers the records, starting at 1.
type LSN uint64

// WAL is safe for concurrent use.
type WAL struct {
	file  File
	every time.Duration
	kick  chan struct{}
	stop  chan struct{}
	done  chan struct{}

	mu       sync.Mutex
	synced   *sync.Cond // durable or failed has changed
	buf      *bufio.Writer
	appended LSN
	durable  LSN
	failed   error // sticky
	closed   bool
}

// New returns a log that syncs at least at the given interval while there are
// records that have not been.
func New(f File, every time.Duration) *WAL {
	w := &WAL{
		file:  f,
		every: every,
		kick:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		buf:   bufio.NewWriterSize(f, 1<<16),
	}
	w.synced = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// Append buffers a record. It is durable once Wait for its LSN has returned.
func (w *WAL) Append(rec []byte) (LSN, error) {
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(rec)))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return 0, w.failed
	}
	if w.closed {
		return 0, ErrClosed
	}
	// The errors of a bufio.Writer stick, the flush reports them.
	w.buf.Write(head[:])
	w.buf.Write(rec)
	w.appended++
	return w.appended, nil
}

// Wait returns once the record is on disk.
func (w *WAL) Wait(lsn LSN) error {
	select {
	case w.kick <- struct{}{}:
	default:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.durable < lsn && w.failed == nil {
		w.synced.Wait()
	}
	if w.durable >= lsn {
		return nil
	}
	return w.failed
}

// Commit appends a record and waits for it.
func (w *WAL) Commit(rec []byte) error {
	lsn, err := w.Append(rec)
	if err != nil {
		return err
	}
	return w.Wait(lsn)
}

func (w *WAL) run() {
	defer close(w.done)
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		select {
		case <-w.kick:
		case <-tick.C:
		case <-w.stop:
			w.flush()
			return
		}
		w.flush()
	}
}

// flush writes and syncs what has been appended. Only run calls it.
func (w *WAL) flush() {
	w.mu.Lock()
	if w.failed != nil || w.durable == w.appended {
		w.mu.Unlock()
		return
	}
	err := w.buf.Flush()
	w.mu.Unlock()

	if err == nil {
		err = w.file.Sync()
	}
	w.finish(err)
}

// finish publishes the outcome of a round to the waiters.
func (w *WAL) finish(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed = err
	} else {
		w.durable = w.appended
	}
	w.synced.Broadcast()
}

// Durable returns the last LSN that is known to be on disk.
func (w *WAL) Durable() LSN {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.durable
}

// Close flushes the log and closes the file.
func (w *WAL) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.closed = true
	w.mu.Unlock()

	close(w.stop)
	<-w.done
	err := w.file.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return w.failed
	}
	return err
}
