// Package a keeps a replicated log and its snapshots.
package a

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

var (
	ErrCompacted   = errors.New("log: entry was compacted")
	ErrUnavailable = errors.New("log: entry is not there yet")
	ErrBusy        = errors.New("log: compaction is under way")
)

// Entry is a committed command. It is not modified.
type Entry struct {
	Index uint64
	Data  []byte
}

// Snapshotter stores the result of all commands up to an index.
type Snapshotter interface {
	Save(upTo uint64, entries []Entry) error
}

// Log holds the committed entries after the last snapshot.
type Log struct {
	snap Snapshotter
	keep uint64 // entries left for slow followers

	mu         sync.RWMutex
	first      uint64 // index of entries[0]
	saved      uint64 // covered by the snapshot
	entries    []Entry
	compacting bool

	compactions atomic.Int64
	failures    atomic.Int64
}

// New returns an empty log.
func New(s Snapshotter, keep uint64) *Log { return &Log{snap: s, keep: keep, first: 1} }

// Append adds a committed command.
func (l *Log) Append(data []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	idx := l.first + uint64(len(l.entries))
	l.entries = append(l.entries, Entry{idx, data})
	return idx
}

// Entry returns a command.
func (l *Log) Entry(index uint64) (Entry, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if index < l.first {
		return Entry{}, ErrCompacted
	}
	if index-l.first >= uint64(len(l.entries)) {
		return Entry{}, ErrUnavailable
	}
	return l.entries[index-l.first], nil
}

// Compact saves what is in the log and drops it except for the entries that
// are kept. Commands are appended meanwhile.
func (l *Log) Compact() error {
	l.mu.Lock()
	if l.compacting {
		l.mu.Unlock()
		return ErrBusy
	}
	last := l.first + uint64(len(l.entries)) - 1
	if last <= l.saved {
		l.mu.Unlock()
		return nil
	}
	l.compacting = true
	from := l.saved + 1
	news := append([]Entry(nil), l.entries[from-l.first:]...)
	l.mu.Unlock()

	err := l.snap.Save(last, news)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.compacting = false
	if err != nil {
		l.failures.Add(1)
		return fmt.Errorf("log: snapshot of %d..%d: %w", from, last, err)
	}
	l.saved = last
	l.compactions.Add(1)
	if last <= l.keep {
		return nil
	}
	cut := last - l.keep // the newest entry to drop
	if cut >= l.first {
		l.entries = append([]Entry(nil), l.entries[cut+1-l.first:]...)
		l.first = cut + 1
	}
	log.Printf("log: snapshot at %d, log begins at %d", last, l.first)
	return nil
}

// Bounds returns the first and the last index of the log, and the index of
// the snapshot.
func (l *Log) Bounds() (first, last, saved uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.first, l.first + uint64(len(l.entries)) - 1, l.saved
}

// Stats returns the counters.
func (l *Log) Stats() (compactions, failures int64) {
	return l.compactions.Load(), l.failures.Load()
}
