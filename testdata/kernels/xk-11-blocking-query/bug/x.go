// Package bug is a small state store with blocking queries.
package bug

import (
	"context"
	"maps"
	"sync"
	"time"
)

// QueryOptions ask for a result newer than MinIndex.
type QueryOptions struct {
	Table    string
	MinIndex uint64
	MaxWait  time.Duration
}

type table struct {
	rows    map[string]string
	index   uint64
	changed chan struct{} // closed by the next write
}

// Store holds tables, each with the index of its last write.
type Store struct {
	mu     sync.RWMutex
	index  uint64
	tables map[string]*table
}

func NewStore(names ...string) *Store {
	s := &Store{tables: make(map[string]*table)}
	for _, n := range names {
		s.tables[n] = &table{rows: make(map[string]string), changed: make(chan struct{})}
	}
	return s
}

// Put writes a row.
func (s *Store) Put(name, key, value string) {
	s.commit(name, func(t *table) { t.rows[key] = value })
}

// Remove drops a row.
func (s *Store) Remove(name, key string) {
	s.commit(name, func(t *table) { delete(t.rows, key) })
}

func (s *Store) commit(name string, write func(*table)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tables[name]
	if !ok {
		return
	}
	write(t)
	s.index++
	t.index = s.index
	close(t.changed)
	t.changed = make(chan struct{})
}

// Rows returns a copy of a table and its index.
func (s *Store) Rows(name string) (map[string]string, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.tables[name]
	if !ok {
		return nil, s.index
	}
	return maps.Clone(t.rows), t.index
}

// Row returns one row and the index of its table.
func (s *Store) Row(name, key string) (string, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.tables[name]
	if !ok {
		return "", s.index
	}
	return t.rows[key], t.index
}

// watch returns a channel that the next write to the table closes.
func (s *Store) watch(name string) <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t, ok := s.tables[name]; ok {
		return t.changed
	}
	return nil
}

// Blocking runs query until it yields an index above opts.MinIndex, or until
// the time is up.
func (s *Store) Blocking(ctx context.Context, opts QueryOptions, query func(*Store) uint64) (uint64, error) {
	if opts.MaxWait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.MaxWait)
		defer cancel()
	}
	for {
		index := query(s)
		if index > opts.MinIndex {
			return index, nil
		}
		changed := s.watch(opts.Table)
		select {
		case <-changed:
		case <-ctx.Done():
			return index, ctx.Err()
		}
	}
}
