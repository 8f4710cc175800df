// Package badger is a store of keys with tables in memory.
package badger

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrBlockedWrites is returned after Close.
var ErrBlockedWrites = errors.New("writes are blocked")

type memTable struct {
	ref   atomic.Int32
	mu    sync.RWMutex
	data  map[string][]byte
	size  int
	freed bool
}

func newMemTable() *memTable {
	mt := &memTable{data: make(map[string][]byte)}
	mt.ref.Store(1)
	return mt
}

func (mt *memTable) IncrRef() { mt.ref.Add(1) }

// DecrRef frees the table with the last reference.
func (mt *memTable) DecrRef() {
	if mt.ref.Add(-1) > 0 {
		return
	}
	mt.mu.Lock()
	mt.data, mt.freed = nil, true
	mt.mu.Unlock()
}

func (mt *memTable) get(key string) ([]byte, bool) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	if mt.freed {
		panic("use of a freed memtable")
	}
	v, ok := mt.data[key]
	return v, ok
}

func (mt *memTable) put(key string, val []byte) int {
	mt.mu.Lock()
	defer mt.mu.Unlock()
	mt.data[key] = val
	mt.size += len(key) + len(val)
	return mt.size
}

// levels is the store of flushed tables.
type levels interface {
	addLevel0(data map[string][]byte)
	get(key string) []byte
}

// DB is the store.
type DB struct {
	lc      levels
	maxSize int

	lock    sync.RWMutex // guards the list of memtables, and writes to mt
	mt      *memTable
	imm     []*memTable // oldest first
	blocked bool

	flushChan chan *memTable
	wg        sync.WaitGroup
}

func open(lc levels, maxSize int) *DB {
	db := &DB{lc: lc, maxSize: maxSize, mt: newMemTable(), flushChan: make(chan *memTable, 16)}
	db.wg.Add(1)
	go func() {
		defer db.wg.Done()
		db.flushMemtables()
	}()
	return db
}

// getMemTables returns the current memtables and get references.
func (db *DB) getMemTables() ([]*memTable, func()) {
	db.lock.RLock()
	defer db.lock.RUnlock()

	tables := make([]*memTable, len(db.imm)+1)

	// Get mutable memtable.
	tables[0] = db.mt
	tables[0].IncrRef()

	// Get immutable memtables.
	last := len(db.imm) - 1
	for i := range db.imm {
		tables[i+1] = db.imm[last-i]
		tables[i+1].IncrRef()
	}
	return tables, func() {
		for _, tbl := range tables {
			tbl.DecrRef()
		}
	}
}

// Get returns the value of a key.
func (db *DB) Get(key []byte) []byte {
	tables, decr := db.getMemTables() // Lock should be released.
	defer decr()
	for _, tbl := range tables {
		if v, ok := tbl.get(string(key)); ok {
			return bytes.Clone(v)
		}
	}
	return db.lc.get(string(key))
}

// Set stores the value of a key.
func (db *DB) Set(key, val []byte) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.blocked {
		return ErrBlockedWrites
	}
	if db.mt.put(string(key), bytes.Clone(val)) < db.maxSize {
		return nil
	}
	select {
	case db.flushChan <- db.mt:
		db.imm = append(db.imm, db.mt)
		db.mt = newMemTable()
	default: // the flusher is behind, let the table grow
	}
	return nil
}

func (db *DB) flushMemtables() {
	for mt := range db.flushChan {
		mt.mu.RLock()
		db.lc.addLevel0(mt.data)
		mt.mu.RUnlock()

		// Tables are flushed in the order of imm.
		db.lock.Lock()
		db.imm = append([]*memTable(nil), db.imm[1:]...)
		db.lock.Unlock()
		mt.DecrRef()
	}
}

// Close waits for the flusher.
func (db *DB) Close() {
	db.lock.Lock()
	if !db.blocked {
		db.blocked = true
		close(db.flushChan)
	}
	db.lock.Unlock()
	db.wg.Wait()
}
