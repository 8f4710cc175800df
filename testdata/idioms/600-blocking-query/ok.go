// Package ok answers queries that block until there is something new.
package ok

import (
	"context"
	"maps"
	"sync"
	"time"
)

// table is one version of a table. Only watchCh changes: it is closed when there
// is a newer version.
type table struct {
	index   uint64
	rows    map[string]string
	watchCh chan struct{}
}

// StateStore holds the tables.
type StateStore struct {
	mu     sync.RWMutex
	tables map[string]*table

	// abandonCh is closed when the store is replaced as a whole.
	abandonCh chan struct{}
}

// NewStateStore returns a store without rows.
func NewStateStore(names ...string) *StateStore {
	s := &StateStore{tables: make(map[string]*table), abandonCh: make(chan struct{})}
	for _, name := range names {
		s.tables[name] = &table{watchCh: make(chan struct{})}
	}
	return s
}

// Upsert sets a row.
func (s *StateStore) Upsert(index uint64, name, key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.tables[name]
	rows := maps.Clone(old.rows)
	if rows == nil {
		rows = make(map[string]string)
	}
	rows[key] = value
	s.tables[name] = &table{index: index, rows: rows, watchCh: make(chan struct{})}
	close(old.watchCh)
}

// Table returns the current version of a table.
func (s *StateStore) Table(name string) *table {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tables[name]
}

// FSM applies the log to the store. Apply and Restore have one caller.
type FSM struct {
	stateLock sync.RWMutex
	state     *StateStore
}

// NewFSM returns an FSM with a store.
func NewFSM(s *StateStore) *FSM { return &FSM{state: s} }

// State returns the current store.
func (f *FSM) State() *StateStore {
	f.stateLock.RLock()
	defer f.stateLock.RUnlock()
	return f.state
}

// Apply applies an entry of the log.
func (f *FSM) Apply(index uint64, name, key, value string) {
	f.State().Upsert(index, name, key, value)
}

// Restore replaces the store by one from a snapshot.
func (f *FSM) Restore(s *StateStore) {
	f.stateLock.Lock()
	old := f.state
	f.state = s
	f.stateLock.Unlock()
	// Unblock the queries that wait for the old store.
	close(old.abandonCh)
}

// Query asks for a table. If MinIndex is not 0 it blocks, for at most MaxTime,
// until the table is newer.
type Query struct {
	Table    string
	MinIndex uint64
	MaxTime  time.Duration
}

// Run answers a query.
func (f *FSM) Run(ctx context.Context, q Query) (rows map[string]string, index uint64) {
	ctx, cancel := context.WithTimeout(ctx, q.MaxTime)
	defer cancel()
	for {
		// We capture the state store and its abandon channel, then the version
		// of the table together with its watch channel.
		state := f.State()
		t := state.Table(q.Table)
		if t.index > q.MinIndex || q.MinIndex == 0 {
			return t.rows, t.index
		}
		select {
		case <-t.watchCh:
		case <-state.abandonCh:
		case <-ctx.Done():
			return t.rows, t.index
		}
	}
}
