// Package a is a write-ahead log with group commit.
package a

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrClosed = errors.New("wal: closed")
	ErrEmpty  = errors.New("wal: empty record")
)

// File is the segment that is being written.
type File interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

type record struct {
	index uint64
	data  []byte
}

// WAL collects records and writes them in groups. A record is durable when
// its group has been synced.
type WAL struct {
	file     File
	interval time.Duration
	kick     chan struct{}
	stopped  chan struct{}

	mu      sync.Mutex
	cond    *sync.Cond // durable, err
	buf     []record
	last    uint64 // index of the newest record
	durable uint64
	closed  bool
	err     error // the first write error; the log is unusable then

	groups  atomic.Uint64
	written atomic.Uint64
}

// Open starts the flusher of a log.
func Open(f File, last uint64, interval time.Duration) *WAL {
	w := &WAL{
		file:     f,
		interval: interval,
		kick:     make(chan struct{}, 1),
		stopped:  make(chan struct{}),
		last:     last,
		durable:  last,
	}
	w.cond = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// Append buffers a record and returns its index.
func (w *WAL) Append(data []byte) (uint64, error) {
	if len(data) == 0 {
		return 0, ErrEmpty
	}
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return 0, w.err
	}
	if w.closed {
		w.mu.Unlock()
		return 0, ErrClosed
	}
	w.last++
	idx := w.last
	w.buf = append(w.buf, record{idx, append([]byte(nil), data...)})
	w.mu.Unlock()

	select {
	case w.kick <- struct{}{}:
	default:
	}
	return idx, nil
}

// Wait blocks until the record is durable.
func (w *WAL) Wait(ctx context.Context, index uint64) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cond.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.durable < index {
		if w.err != nil {
			return w.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.cond.Wait()
	}
	return nil
}

// run is the only caller of flush.
func (w *WAL) run() {
	defer close(w.stopped)
	for range w.kick {
		// Give other writers the chance to join the group.
		time.Sleep(w.interval)
		if err := w.flush(); err != nil {
			log.Printf("wal: flush: %v", err)
		}
		w.mu.Lock()
		end := w.closed && (len(w.buf) == 0 || w.err != nil)
		w.mu.Unlock()
		if end {
			return
		}
	}
}

// flush writes what is buffered.
func (w *WAL) flush() error {
	w.mu.Lock()
	batch := w.buf
	w.buf = nil
	if err := w.err; err != nil || len(batch) == 0 {
		w.mu.Unlock()
		return err
	}
	w.mu.Unlock()

	var out []byte
	for _, r := range batch {
		out = binary.BigEndian.AppendUint64(out, r.index)
		out = binary.BigEndian.AppendUint32(out, uint32(len(r.data)))
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(r.data))
		out = append(out, r.data...)
	}
	_, err := w.file.Write(out)
	if err == nil {
		err = w.file.Sync()
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.cond.Broadcast()
	if err != nil {
		w.err = fmt.Errorf("wal: group of %d records: %w", len(batch), err)
		return w.err
	}
	w.durable = w.last
	w.groups.Add(1)
	w.written.Add(uint64(len(out)))
	return nil
}

// Durable is the newest index that survives a crash.
func (w *WAL) Durable() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.durable
}

// Close writes the rest and closes the file.
func (w *WAL) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.closed = true
	w.mu.Unlock()
	select {
	case w.kick <- struct{}{}:
	default:
	}
	<-w.stopped
	w.mu.Lock()
	err := w.err
	w.mu.Unlock()
	if cerr := w.file.Close(); err == nil {
		err = cerr
	}
	return err
}
