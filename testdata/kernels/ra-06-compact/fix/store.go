// Package compact is a small log-structured key-value store.
package compact

import (
	"maps"
	"slices"
	"sync"
)

type value struct {
	data    []byte
	deleted bool
}

// segment is an immutable run of entries.
type segment struct {
	entries map[string]value
}

// Store keeps recent writes in a table and older ones in segments.
type Store struct {
	mu       sync.RWMutex
	table    map[string]value
	segments []*segment // oldest first
	limit    int
	fanout   int

	wake chan struct{}
	done chan struct{}
	wg   sync.WaitGroup
}

// Open returns an empty store and starts its compactor.
func Open(limit, fanout int) *Store {
	s := &Store{
		table:  make(map[string]value),
		limit:  limit,
		fanout: fanout,
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	s.wg.Go(s.compactLoop)
	return s
}

// Close stops the compactor. It must be called once.
func (s *Store) Close() {
	close(s.done)
	s.wg.Wait()
}

// Put stores data under key.
func (s *Store) Put(key string, data []byte) {
	s.write(key, value{data: slices.Clone(data)})
}

// Delete removes key.
func (s *Store) Delete(key string) {
	s.write(key, value{deleted: true})
}

// Get returns the data stored under key.
func (s *Store) Get(key string) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if v, ok := s.table[key]; ok {
		return v.data, !v.deleted
	}
	for _, seg := range slices.Backward(s.segments) {
		if v, ok := seg.entries[key]; ok {
			return v.data, !v.deleted
		}
	}
	return nil, false
}

func (s *Store) write(key string, v value) {
	s.mu.Lock()
	s.table[key] = v
	if len(s.table) >= s.limit {
		s.segments = append(s.segments, &segment{entries: s.table})
		s.table = make(map[string]value)
	}
	full := len(s.segments) >= s.fanout
	s.mu.Unlock()
	if full {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

func (s *Store) compactLoop() {
	for {
		select {
		case <-s.done:
			return
		case <-s.wake:
			s.compact()
		}
	}
}

func (s *Store) compact() {
	s.mu.RLock()
	inputs := slices.Clone(s.segments)
	s.mu.RUnlock()
	if len(inputs) < s.fanout {
		return
	}

	merged := merge(inputs)

	s.mu.Lock()
	s.segments = append([]*segment{merged}, s.segments[len(inputs):]...)
	s.mu.Unlock()
}

// merge folds all segments into one and drops deleted keys.
func merge(inputs []*segment) *segment {
	out := make(map[string]value)
	for _, seg := range inputs {
		maps.Copy(out, seg.entries)
	}
	maps.DeleteFunc(out, func(_ string, v value) bool { return v.deleted })
	return &segment{entries: out}
}
