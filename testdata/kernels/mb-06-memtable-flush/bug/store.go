// Package lsm is the in-memory part of a log-structured store.
package lsm

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

type memtable struct {
	seq  uint64
	data map[string][]byte
	size int
}

func newMemtable(seq uint64) *memtable {
	return &memtable{seq: seq, data: make(map[string][]byte)}
}

// Table is a sorted table on disk.
type Table interface {
	Get(key string) ([]byte, bool, error)
}

// TableWriter writes sorted tables.
type TableWriter interface {
	WriteTable(seq uint64, keys []string, data map[string][]byte) (Table, error)
}

// Store keeps recent writes in memory and older ones in tables.
type Store struct {
	writer TableWriter
	limit  int
	wake   chan struct{}

	mu     sync.RWMutex
	active *memtable
	frozen []*memtable // oldest first
	tables []Table     // oldest first
}

// NewStore flushes memtables of about limit bytes.
func NewStore(w TableWriter, limit int) *Store {
	return &Store{writer: w, limit: limit, wake: make(chan struct{}, 1), active: newMemtable(1)}
}

// Put writes a key.
func (s *Store) Put(key string, val []byte) {
	s.mu.Lock()
	m := s.active
	m.data[key] = slices.Clone(val)
	m.size += len(key) + len(val)
	rotated := m.size >= s.limit
	if rotated {
		s.frozen = append(s.frozen, m)
		s.active = newMemtable(m.seq + 1)
	}
	s.mu.Unlock()
	if rotated {
		s.kick()
	}
}

// Get reads a key from the newest place that has it.
func (s *Store) Get(key string) ([]byte, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if v, ok := s.active.data[key]; ok {
		return v, true, nil
	}
	for _, m := range slices.Backward(s.frozen) {
		if v, ok := m.data[key]; ok {
			return v, true, nil
		}
	}
	for _, t := range slices.Backward(s.tables) {
		if v, ok, err := t.Get(key); ok || err != nil {
			return v, ok, err
		}
	}
	return nil, false, nil
}

func (s *Store) kick() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// flushOldest writes the oldest frozen memtable and reports whether there was one.
func (s *Store) flushOldest() (bool, error) {
	s.mu.RLock()
	frozen, tables := s.frozen, s.tables
	s.mu.RUnlock()
	if len(frozen) == 0 {
		return false, nil
	}
	m := frozen[0]
	keys := make([]string, 0, len(m.data))
	for k := range m.data {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	t, err := s.writer.WriteTable(m.seq, keys, m.data)
	if err != nil {
		return false, fmt.Errorf("lsm: flush memtable %d: %w", m.seq, err)
	}
	slog.Debug("memtable flushed", "seq", m.seq, "tables", len(tables)+1)

	s.mu.Lock()
	s.frozen = frozen[1:]
	s.tables = append(tables, t)
	s.mu.Unlock()
	return true, nil
}

// RunFlusher writes frozen memtables until ctx ends. A store has one flusher.
func (s *Store) RunFlusher(ctx context.Context) error {
	for {
		more, err := s.flushOldest()
		if err != nil {
			return err
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake:
		}
	}
}
