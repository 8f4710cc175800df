// Package raftlog is the in-memory part of the replicated log.
package raftlog

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	ErrCompacted   = errors.New("raftlog: entry was compacted")
	ErrUnavailable = errors.New("raftlog: entry not in the log")
)

// Entry is one replicated command.
type Entry struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// SnapshotMeta names a snapshot.
type SnapshotMeta struct {
	Index uint64
	Term  uint64
}

// SnapshotSink writes the state machine to disk. Snapshots are kept by index
// and the one with the highest index is loaded at start. Save may take long.
type SnapshotSink interface {
	Save(SnapshotMeta) error
}

// Log holds the entries after the last snapshot: entries[i] has the index
// offset+1+i.
type Log struct {
	sink SnapshotSink

	mu      sync.RWMutex
	offset  uint64
	entries []Entry
}

// New returns an empty log that continues after index offset.
func New(sink SnapshotSink, offset uint64) *Log {
	return &Log{sink: sink, offset: offset}
}

// Append adds a command and returns its index.
func (l *Log) Append(term uint64, data []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	idx := l.lastLocked() + 1
	l.entries = append(l.entries, Entry{Index: idx, Term: term, Data: data})
	return idx
}

// Last returns the index of the newest entry.
func (l *Log) Last() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.lastLocked()
}

func (l *Log) lastLocked() uint64 { return l.offset + uint64(len(l.entries)) }

// Slice copies the entries from index lo up to the end.
func (l *Log) Slice(lo uint64) ([]Entry, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if lo <= l.offset {
		return nil, ErrCompacted
	}
	if lo > l.lastLocked() {
		return nil, ErrUnavailable
	}
	return append([]Entry(nil), l.entries[lo-l.offset-1:]...), nil
}

// Compact writes a snapshot that covers all entries up to and including upto
// and drops these from memory. Entries up to upto must be applied.
func (l *Log) Compact(upto uint64) error {
	l.mu.RLock()
	if upto <= l.offset {
		l.mu.RUnlock()
		return ErrCompacted
	}
	if upto > l.lastLocked() {
		l.mu.RUnlock()
		return ErrUnavailable
	}
	n := int(upto - l.offset)
	meta := SnapshotMeta{Index: upto, Term: l.entries[n-1].Term}
	l.mu.RUnlock()

	// Replication goes on while the snapshot is written.
	if err := l.sink.Save(meta); err != nil {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append([]Entry(nil), l.entries[n:]...)
	l.offset += uint64(n)
	return nil
}

// Maintain compacts the log every interval. Operators may call Compact at any
// time as well, through the admin endpoint.
func (l *Log) Maintain(ctx context.Context, interval time.Duration, applied func() uint64) {
	go func() {
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if err := l.Compact(applied()); err != nil && !errors.Is(err, ErrCompacted) {
				log.Printf("raftlog: compact: %v", err)
			}
		}
	}()
}
