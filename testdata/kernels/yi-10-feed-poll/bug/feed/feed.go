// Package feed is an append-only log of records that is kept in memory.
package feed

import (
	"errors"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("feed: closed")

// Record is one element of the log. The first has the offset zero.
type Record struct {
	Offset uint64
	Value  []byte
}

// Log is safe for concurrent use.
type Log struct {
	mu      sync.RWMutex
	records []Record
	changed chan struct{}
	closed  bool
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{changed: make(chan struct{})}
}

// Append adds a record and wakes the readers.
func (l *Log) Append(value []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	off := uint64(len(l.records))
	l.records = append(l.records, Record{Offset: off, Value: value})
	l.wakeLocked()
	return off, nil
}

func (l *Log) wakeLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Changed returns a channel that is closed by the next change of the log.
func (l *Log) Changed() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.changed
}

// Read copies up to max records from offset on. After Close it still returns
// what is left, and then ErrClosed.
func (l *Log) Read(offset uint64, max int) ([]Record, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if offset >= uint64(len(l.records)) {
		if l.closed {
			return nil, ErrClosed
		}
		return nil, nil
	}
	rest := l.records[offset:]
	if len(rest) > max {
		rest = rest[:max]
	}
	return append([]Record(nil), rest...), nil
}

// Close ends the log.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.wakeLocked()
	}
}
