// Package ok reads from memtables while they are flushed.
package ok

import (
	"maps"
	"sync"
	"sync/atomic"
)

// memTable may be read by those who hold a reference.
type memTable struct {
	refs atomic.Int32

	mu  sync.RWMutex
	buf map[string]string
}

func newMemTable() *memTable {
	mt := &memTable{buf: make(map[string]string)}
	mt.refs.Store(1)
	return mt
}

func (mt *memTable) IncrRef() { mt.refs.Add(1) }

// DecrRef frees the buffer with the last reference.
func (mt *memTable) DecrRef() {
	if mt.refs.Add(-1) == 0 {
		mt.mu.Lock()
		mt.buf = nil
		mt.mu.Unlock()
	}
}

func (mt *memTable) put(key, value string) int {
	mt.mu.Lock()
	defer mt.mu.Unlock()
	mt.buf[key] = value
	return len(mt.buf)
}

func (mt *memTable) get(key string) (string, bool) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	v, ok := mt.buf[key]
	return v, ok
}

// DB has one writer and any number of readers.
type DB struct {
	maxSize   int
	flushChan chan *memTable
	flushed   chan struct{}

	writeMu sync.Mutex // held by the writer

	lock  sync.RWMutex
	mt    *memTable   // the one that is written
	imm   []*memTable // add here only through the flush channel
	level map[string]string
}

// Open returns an empty DB.
func Open(maxSize int) *DB {
	db := &DB{
		maxSize:   maxSize,
		flushChan: make(chan *memTable, 4),
		flushed:   make(chan struct{}),
		mt:        newMemTable(),
		level:     make(map[string]string),
	}
	go db.flushMemtable()
	return db
}

// getMemTables returns the current memtables, newest first, and a function
// that releases them.
func (db *DB) getMemTables() ([]*memTable, func()) {
	db.lock.RLock()
	defer db.lock.RUnlock()

	// Get mutable memtable.
	tables := []*memTable{db.mt}
	db.mt.IncrRef()

	// Get immutable memtables.
	last := len(db.imm) - 1
	for i := range db.imm {
		tables = append(tables, db.imm[last-i])
		db.imm[last-i].IncrRef()
	}
	return tables, func() {
		for _, tbl := range tables {
			tbl.DecrRef()
		}
	}
}

// Get returns the value of a key.
func (db *DB) Get(key string) (string, bool) {
	tables, decr := db.getMemTables() // Lock should be released.
	defer decr()
	for _, mt := range tables {
		if v, ok := mt.get(key); ok {
			return v, true
		}
	}
	db.lock.RLock()
	defer db.lock.RUnlock()
	v, ok := db.level[key]
	return v, ok
}

// Set changes the value of a key.
func (db *DB) Set(key, value string) {
	db.writeMu.Lock()
	defer db.writeMu.Unlock()
	// Only the writer replaces db.mt, so that it may read it without lock.
	if db.mt.put(key, value) < db.maxSize {
		return
	}
	full := db.mt
	db.lock.Lock()
	db.imm = append(db.imm, full)
	db.mt = newMemTable()
	db.lock.Unlock()
	db.flushChan <- full
}

// Close waits for the flushes. No Set may be running.
func (db *DB) Close() {
	close(db.flushChan)
	<-db.flushed
}

func (db *DB) flushMemtable() {
	defer close(db.flushed)
	for mt := range db.flushChan {
		// An immutable memtable does not change, and imm has a reference.
		db.lock.RLock()
		level := maps.Clone(db.level)
		db.lock.RUnlock()
		mt.mu.RLock()
		maps.Copy(level, mt.buf)
		mt.mu.RUnlock()

		db.lock.Lock()
		db.level = level
		// This is a single-threaded operation. mt corresponds to the head of
		// db.imm list.
		db.imm = db.imm[1:]
		db.lock.Unlock()
		mt.DecrRef()
	}
}
