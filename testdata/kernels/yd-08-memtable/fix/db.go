// Package kv is a small write-optimised key-value store: writes go to a table
// in memory, full tables are flushed to immutable tables in the background.
package kv

import (
	"errors"
	"log/slog"
	"maps"
	"sync"
)

// ErrClosed is returned once the store has been closed.
var ErrClosed = errors.New("kv: closed")

// Table is an immutable table on disk.
type Table interface {
	Get(key string) ([]byte, bool)
}

// Writer makes an immutable table of the entries.
type Writer interface {
	Write(entries map[string][]byte) (Table, error)
}

// memtable is a table in memory.
type memtable struct {
	mu      sync.RWMutex
	entries map[string][]byte
	bytes   int
}

func newMemtable() *memtable {
	return &memtable{entries: make(map[string][]byte)}
}

// set stores the value and returns the size of the table.
func (m *memtable) set(key string, value []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += len(value) - len(m.entries[key])
	m.entries[key] = value
	return m.bytes
}

func (m *memtable) get(key string) ([]byte, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.entries[key]
	return v, ok
}

func (m *memtable) len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.entries)
}

func (m *memtable) snapshot() map[string][]byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return maps.Clone(m.entries)
}

// DB is the store. It is safe for concurrent use.
type DB struct {
	writer Writer
	limit  int
	full   chan struct{}
	stop   chan struct{}
	done   chan struct{}

	mu     sync.RWMutex
	active *memtable
	sealed []*memtable // oldest first
	tables []Table     // oldest first
	closed bool
}

// Open starts a store whose tables in memory hold about limit bytes.
func Open(writer Writer, limit int) *DB {
	db := &DB{
		writer: writer,
		limit:  limit,
		full:   make(chan struct{}, 1),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
		active: newMemtable(),
	}
	go db.flusher()
	return db
}

// Put stores value under key.
func (db *DB) Put(key string, value []byte) error {
	// Rotation takes db.mu for writing, so the table stays active until the
	// value is in it.
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed {
		return ErrClosed
	}
	if db.active.set(key, append([]byte(nil), value...)) >= db.limit {
		db.nudge()
	}
	return nil
}

// nudge wakes the flusher.
func (db *DB) nudge() {
	select {
	case db.full <- struct{}{}:
	default:
	}
}

// Get returns the newest value of key.
func (db *DB) Get(key string) ([]byte, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if v, ok := db.active.get(key); ok {
		return v, true
	}
	for i := len(db.sealed) - 1; i >= 0; i-- {
		if v, ok := db.sealed[i].get(key); ok {
			return v, true
		}
	}
	for i := len(db.tables) - 1; i >= 0; i-- {
		if v, ok := db.tables[i].Get(key); ok {
			return v, true
		}
	}
	return nil, false
}

func (db *DB) flusher() {
	defer close(db.done)
	for {
		select {
		case <-db.stop:
			return
		case <-db.full:
			if err := db.flush(); err != nil {
				slog.Error("kv: flush failed", "err", err)
			}
		}
	}
}

// rotate seals the active table and returns the oldest sealed one, if any.
func (db *DB) rotate() *memtable {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.active.len() > 0 {
		db.sealed = append(db.sealed, db.active)
		db.active = newMemtable()
	}
	if len(db.sealed) == 0 {
		return nil
	}
	return db.sealed[0]
}

// flush writes out what is in memory. It runs in the flusher, and in Close
// after the flusher has ended.
func (db *DB) flush() error {
	for m := db.rotate(); m != nil; m = db.oldest() {
		t, err := db.writer.Write(m.snapshot())
		if err != nil {
			return err
		}
		db.install(t)
	}
	return nil
}

func (db *DB) oldest() *memtable {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if len(db.sealed) == 0 {
		return nil
	}
	return db.sealed[0]
}

// install puts t in the place of the oldest sealed table.
func (db *DB) install(t Table) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.sealed = db.sealed[1:]
	db.tables = append(db.tables, t)
}

// Close writes out what is in memory and ends the store.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return ErrClosed
	}
	db.closed = true
	db.mu.Unlock()
	close(db.stop)
	<-db.done
	return db.flush()
}
