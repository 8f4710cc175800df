// Package a is the write buffer of a journal.
package a

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	ErrClosed = errors.New("journal: closed")
	ErrFull   = errors.New("journal: record too large")
)

const maxRecord = 1 << 16

// Device is the file below.
type Device interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// Journal buffers records; Sync makes those before it durable.
type Journal struct {
	dev Device

	mu      sync.Mutex
	idle    *sync.Cond // syncing went false
	buf     []byte
	spare   []byte // the other buffer, while nobody writes it out
	added   uint64 // records in the journal
	synced  uint64 // records on the device
	syncing bool   // someone uses dev without mu
	closed  bool
	err     error // sticky

	syncs  atomic.Int64
	joined atomic.Int64
}

// New returns a journal on a device.
func New(dev Device) *Journal {
	j := &Journal{dev: dev}
	j.idle = sync.NewCond(&j.mu)
	return j
}

// Add buffers a record.
func (j *Journal) Add(rec []byte) (uint64, error) {
	if len(rec) > maxRecord {
		return 0, ErrFull
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return 0, j.err
	}
	if j.closed {
		return 0, ErrClosed
	}
	j.buf = append(j.buf, byte(len(rec)>>16), byte(len(rec)>>8), byte(len(rec)))
	j.buf = append(j.buf, rec...)
	j.added++
	return j.added, nil
}

// Sync returns when all records added before the call are on the device.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.syncTo(j.added)
}

// syncTo waits for a sync that is under way or does one; the lock is held,
// but released during the I/O.
func (j *Journal) syncTo(want uint64) error {
	for j.synced < want && j.err == nil {
		if j.syncing {
			j.joined.Add(1)
			j.idle.Wait()
			continue
		}
		j.syncing = true
		out, upTo := j.buf, j.added
		j.buf, j.spare = j.spare[:0], nil
		j.mu.Unlock()

		_, err := j.dev.Write(out)
		if err == nil {
			err = j.dev.Sync()
		}
		j.syncs.Add(1)

		j.mu.Lock()
		j.syncing = false
		j.spare = out
		if err != nil {
			j.err = fmt.Errorf("journal: sync: %w", err)
		} else {
			j.synced = upTo
		}
		j.idle.Broadcast()
	}
	if j.synced >= want {
		return nil
	}
	return j.err
}

// Close syncs the rest and closes the device.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	j.closed = true
	err := j.syncTo(j.added)
	for j.syncing {
		j.idle.Wait()
	}
	if cerr := j.dev.Close(); err == nil {
		err = cerr
	}
	return err
}

// Pending is the number of records that a crash would lose.
func (j *Journal) Pending() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.added - j.synced
}

// Stats returns the counters.
func (j *Journal) Stats() (syncs, joined int64) { return j.syncs.Load(), j.joined.Load() }
