// Package lsm is a small log-structured key-value store: writes go to a memory
// table, full tables become immutable segments, and a background goroutine
// merges segments.
package lsm

import (
	"maps"
	"sync"
)

// entry is a value or, when dead, the mark of a deletion.
type entry struct {
	value []byte
	dead  bool
}

// segment is an immutable table.
type segment struct {
	entries map[string]entry
}

// Options configures a store.
type Options struct {
	TableSize   int // entries of a memory table before it becomes a segment
	MaxSegments int // segments above which the store is compacted
}

// Store is safe for concurrent use.
type Store struct {
	opts Options

	mu       sync.RWMutex
	table    map[string]entry
	segments []*segment // oldest first

	full    chan struct{} // tells the compactor that there are segments to merge
	quit    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// Open returns an empty store and starts its compactor.
func Open(opts Options) *Store {
	s := &Store{
		opts:    opts,
		table:   make(map[string]entry),
		full:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	go s.compactor()
	return s
}

// Put sets the value of key.
func (s *Store) Put(key string, value []byte) {
	s.write(key, entry{value: append([]byte(nil), value...)})
}

// Delete removes key.
func (s *Store) Delete(key string) {
	s.write(key, entry{dead: true})
}

// Get returns the value of key.
func (s *Store) Get(key string) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e, ok := s.table[key]; ok {
		return e.value, !e.dead
	}
	for i := len(s.segments) - 1; i >= 0; i-- {
		if e, ok := s.segments[i].entries[key]; ok {
			return e.value, !e.dead
		}
	}
	return nil, false
}

// Segments returns the number of segments.
func (s *Store) Segments() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.segments)
}

// Close stops the compactor.
func (s *Store) Close() {
	s.once.Do(func() { close(s.quit) })
	<-s.stopped
}

// write adds an entry to the memory table and turns a full table into the
// newest segment.
func (s *Store) write(key string, e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table[key] = e
	if len(s.table) < s.opts.TableSize {
		return
	}
	s.segments = append(s.segments, &segment{entries: s.table})
	s.table = make(map[string]entry)
	if len(s.segments) > s.opts.MaxSegments {
		select {
		case s.full <- struct{}{}:
		default:
		}
	}
}

// compactor merges segments until the store is closed.
func (s *Store) compactor() {
	defer close(s.stopped)
	for {
		select {
		case <-s.quit:
			return
		case <-s.full:
			s.compact()
		}
	}
}

// compact replaces the present segments by one. It runs on the compactor only.
func (s *Store) compact() {
	old := s.oldest()
	if len(old) < 2 {
		return
	}
	merged := merge(old)
	s.install(len(old), merged)
}

// oldest returns a copy of the list of segments.
func (s *Store) oldest() []*segment {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]*segment(nil), s.segments...)
}

// install puts merged in the place of the n oldest segments. Writers only add
// segments at the end.
func (s *Store) install(n int, merged *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.segments[n:]
	s.segments = append([]*segment{merged}, rest...)
}

// merge combines segments, of which the first is the oldest of the store.
func merge(old []*segment) *segment {
	entries := make(map[string]entry)
	for _, seg := range old {
		maps.Copy(entries, seg.entries)
	}
	maps.DeleteFunc(entries, func(_ string, e entry) bool { return e.dead })
	return &segment{entries: entries}
}
