// Package a is the in-memory tail of a replicated log. Followers read it by
// index; what has been compacted they get as a snapshot.
package a

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	// ErrCompacted sends a follower to the snapshot.
	ErrCompacted = errors.New("log: index was compacted")
	// ErrNotYet makes a follower ask again later.
	ErrNotYet = errors.New("log: index is not there yet")
)

// Entry is a record of the log.
type Entry struct {
	Index uint64
	Term  uint64
	Data  []byte
}

const shardCount = 16

// shard holds a part of the entries, so that followers at different places
// do not get in each other's way.
type shard struct {
	mu      sync.RWMutex
	entries map[uint64]Entry
}

func (s *shard) put(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[e.Index] = e
}

func (s *shard) get(index uint64) (Entry, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := s.entries[index]
	return e, ok
}

func (s *shard) dropUpTo(index uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if i <= index {
			delete(s.entries, i)
		}
	}
}

// Log is the tail. Writers take turns; readers do not wait for them.
type Log struct {
	writeMu sync.Mutex
	shards  [shardCount]*shard
	first   atomic.Uint64 // lowest index that is kept
	last    atomic.Uint64 // highest index that may be read
}

// NewLog returns a tail that continues after the given snapshot index.
func NewLog(snapshot uint64) *Log {
	l := &Log{}
	for i := range l.shards {
		l.shards[i] = &shard{entries: make(map[uint64]Entry)}
	}
	l.first.Store(snapshot + 1)
	l.last.Store(snapshot)
	return l
}

func (l *Log) shardFor(index uint64) *shard {
	return l.shards[index%shardCount]
}

// Append adds a record and returns its index.
func (l *Log) Append(term uint64, data []byte) uint64 {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	return l.appendLocked(term, data)
}

// AppendAll adds several records and returns the index of the last one.
func (l *Log) AppendAll(term uint64, batch [][]byte) uint64 {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	for _, data := range batch {
		l.appendLocked(term, data)
	}
	return l.last.Load()
}

func (l *Log) appendLocked(term uint64, data []byte) uint64 {
	index := l.last.Add(1)
	e := Entry{Index: index, Term: term, Data: append([]byte(nil), data...)}
	l.shardFor(index).put(e)
	return index
}

// Get returns the record with that index.
func (l *Log) Get(index uint64) (Entry, error) {
	if index > l.last.Load() {
		return Entry{}, fmt.Errorf("%w: %d", ErrNotYet, index)
	}
	e, ok := l.shardFor(index).get(index)
	if !ok {
		return Entry{}, fmt.Errorf("%w: %d", ErrCompacted, index)
	}
	return e, nil
}

// ReadFrom returns up to limit records from index on.
func (l *Log) ReadFrom(index uint64, limit int) ([]Entry, error) {
	var out []Entry
	for len(out) < limit {
		e, err := l.Get(index)
		if errors.Is(err, ErrNotYet) {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		index++
	}
	return out, nil
}

// Compact drops the records up to and including index, which a snapshot
// covers by now.
func (l *Log) Compact(index uint64) {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if last := l.last.Load(); index > last {
		index = last
	}
	if index < l.first.Load() {
		return
	}
	l.first.Store(index + 1)
	for _, s := range l.shards {
		s.dropUpTo(index)
	}
}

// First returns the lowest index that is kept.
func (l *Log) First() uint64 { return l.first.Load() }

// Last returns the highest index.
func (l *Log) Last() uint64 { return l.last.Load() }
