package a

import (
	"errors"
	"sync"
)

// ErrCommitted is returned for an attempt to cut off committed entries.
var ErrCommitted = errors.New("log: entry is committed")

// Entry is one command of the log.
type Entry struct {
	Term    uint64
	Command string
}

// Log is the log of one replica. Indexes start at 1.
type Log struct {
	mu      sync.RWMutex
	entries []Entry
	commit  uint64
}

// Append adds entries and returns the last index.
func (l *Log) Append(es ...Entry) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, es...)
	return uint64(len(l.entries))
}

// Truncate cuts off the entries from index on.
func (l *Log) Truncate(index uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if index <= l.commit {
		return ErrCommitted
	}
	if index <= uint64(len(l.entries)) {
		l.entries = l.entries[:index-1]
	}
	return nil
}

// Commit moves the commit index up to index at most.
func (l *Log) Commit(index uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commit = max(l.commit, min(index, uint64(len(l.entries))))
}

// Committed reports the commit index.
func (l *Log) Committed() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.commit
}

// Read returns the entry at index if it is committed.
func (l *Log) Read(index uint64) (Entry, bool) {
	if index == 0 || index > l.Committed() {
		return Entry{}, false
	}
	return l.entry(index), true
}

// Replay calls f for the entries after index from that are committed now and
// returns the index it has reached.
func (l *Log) Replay(from uint64, f func(Entry)) uint64 {
	to := l.Committed()
	for i := from + 1; i <= to; i++ {
		f(l.entry(i))
	}
	return max(from, to)
}

func (l *Log) entry(index uint64) Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entries[index-1]
}
