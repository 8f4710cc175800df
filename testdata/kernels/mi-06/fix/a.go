// Package a is the read and flush path of an LSM key value store.
package a

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	ErrNotFound = errors.New("db: key not found")
	ErrEmptyKey = errors.New("db: empty key")
)

// memtable takes writes until it is full.
type memtable struct {
	id   uint64
	mu   sync.RWMutex
	data map[string][]byte
	size int
}

func newMemtable(id uint64) *memtable {
	return &memtable{id: id, data: make(map[string][]byte)}
}

func (m *memtable) get(key string) ([]byte, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.data[key]
	return v, ok
}

func (m *memtable) put(key string, v []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data[key] = v
	m.size += len(key) + len(v)
	return m.size
}

// Table is an immutable file of level zero.
type Table interface {
	Get(key string) ([]byte, bool, error)
}

// Builder writes a memtable to disk.
type Builder interface {
	Build(id uint64, data map[string][]byte) (Table, error)
}

// DB is the store.
type DB struct {
	builder Builder
	maxMem  int

	writeMu sync.Mutex // one writer at a time

	memMu  sync.RWMutex
	active *memtable
	sealed []*memtable // newest last
	nextID uint64

	levelMu sync.RWMutex
	level0  []Table // newest last

	flushMu sync.Mutex // one flush at a time

	gets, hits atomic.Uint64
}

// Open returns an empty store.
func Open(b Builder, maxMem int) *DB {
	return &DB{builder: b, maxMem: maxMem, active: newMemtable(0), nextID: 1}
}

// Put stores a value.
func (db *DB) Put(key string, value []byte) error {
	if key == "" {
		return ErrEmptyKey
	}
	db.writeMu.Lock()
	defer db.writeMu.Unlock()
	db.memMu.RLock()
	mt := db.active
	db.memMu.RUnlock()
	// The active table is replaced by writers only, see seal.
	if mt.put(key, append([]byte(nil), value...)) >= db.maxMem {
		db.seal()
	}
	return nil
}

// seal makes the active table read-only; writeMu is held.
func (db *DB) seal() {
	db.memMu.Lock()
	defer db.memMu.Unlock()
	db.sealed = append(db.sealed, db.active)
	db.active = newMemtable(db.nextID)
	db.nextID++
}

// memtables lists the tables in memory, newest first.
func (db *DB) memtables() []*memtable {
	db.memMu.RLock()
	defer db.memMu.RUnlock()
	out := []*memtable{db.active}
	for i := len(db.sealed) - 1; i >= 0; i-- {
		out = append(out, db.sealed[i])
	}
	return out
}

// tables lists the files, newest first.
func (db *DB) tables() []Table {
	db.levelMu.RLock()
	defer db.levelMu.RUnlock()
	out := make([]Table, 0, len(db.level0))
	for i := len(db.level0) - 1; i >= 0; i-- {
		out = append(out, db.level0[i])
	}
	return out
}

// Get returns the newest value of a key.
func (db *DB) Get(key string) ([]byte, error) {
	if key == "" {
		return nil, ErrEmptyKey
	}
	db.gets.Add(1)
	for _, mt := range db.memtables() {
		if v, ok := mt.get(key); ok {
			db.hits.Add(1)
			return v, nil
		}
	}
	for _, t := range db.tables() {
		v, ok, err := t.Get(key)
		if err != nil {
			return nil, fmt.Errorf("db: get %q: %w", key, err)
		}
		if ok {
			return v, nil
		}
	}
	return nil, ErrNotFound
}

// Flush writes the oldest sealed memtable to level zero. It reports whether
// there was one.
func (db *DB) Flush() (bool, error) {
	db.flushMu.Lock()
	defer db.flushMu.Unlock()
	db.memMu.RLock()
	if len(db.sealed) == 0 {
		db.memMu.RUnlock()
		return false, nil
	}
	mt := db.sealed[0]
	db.memMu.RUnlock()

	// A sealed table has no writers any more.
	t, err := db.builder.Build(mt.id, mt.data)
	if err != nil {
		return false, fmt.Errorf("db: flush of memtable %d: %w", mt.id, err)
	}
	db.levelMu.Lock()
	db.level0 = append(db.level0, t)
	db.levelMu.Unlock()

	db.memMu.Lock()
	db.sealed = append([]*memtable(nil), db.sealed[1:]...)
	db.memMu.Unlock()
	return true, nil
}

// Stats returns the counters.
func (db *DB) Stats() (gets, memHits uint64) { return db.gets.Load(), db.hits.Load() }
