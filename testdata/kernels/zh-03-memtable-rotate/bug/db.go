// Package memkv is the write path of a small log-structured key-value store:
// an active memtable, a queue of full ones and a sorted table underneath.
package memkv

import (
	"errors"
	"maps"
	"sync"
	"time"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("memkv: closed")

// Table is the persistent level.
type Table interface {
	Write(entries map[string][]byte) error
	Read(key string) ([]byte, bool, error)
}

type memtable struct {
	mu    sync.RWMutex
	kv    map[string][]byte
	bytes int
}

func newMemtable() *memtable { return &memtable{kv: make(map[string][]byte)} }

func (m *memtable) put(key string, val []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += len(key) + len(val)
	m.kv[key] = val
	return m.bytes
}

func (m *memtable) get(key string) ([]byte, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.kv[key]
	return v, ok
}

func (m *memtable) entries() map[string][]byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return maps.Clone(m.kv)
}

// DB may be used by several goroutines.
type DB struct {
	table Table
	limit int
	kick  chan struct{}
	quit  chan struct{}
	done  chan struct{}

	mu     sync.RWMutex
	mem    *memtable
	full   []*memtable // oldest first
	closed bool
}

// Open starts a store on top of the table.
func Open(table Table, limit int) *DB {
	db := &DB{table: table, limit: limit, mem: newMemtable()}
	db.kick = make(chan struct{}, 1)
	db.quit, db.done = make(chan struct{}), make(chan struct{})
	go db.flushLoop()
	return db
}

// active returns the memtable that takes writes.
func (db *DB) active() (*memtable, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed {
		return nil, ErrClosed
	}
	return db.mem, nil
}

// Put stores a value. The slice must not be changed afterwards.
func (db *DB) Put(key string, val []byte) error {
	mt, err := db.active()
	if err != nil {
		return err
	}
	if mt.put(key, val) >= db.limit {
		db.rotate(mt)
	}
	return nil
}

// Get returns the newest value of a key.
func (db *DB) Get(key string) ([]byte, bool, error) {
	if v, ok := db.lookup(key); ok {
		return v, true, nil
	}
	return db.table.Read(key)
}

func (db *DB) lookup(key string) ([]byte, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	v, ok := db.mem.get(key)
	for i := len(db.full) - 1; i >= 0 && !ok; i-- {
		v, ok = db.full[i].get(key)
	}
	return v, ok
}

// rotate queues a memtable that has reached the limit, once.
func (db *DB) rotate(mt *memtable) {
	db.mu.Lock()
	if db.mem == mt && !db.closed {
		db.full = append(db.full, mt)
		db.mem = newMemtable()
	}
	db.mu.Unlock()
	db.nudge()
}

func (db *DB) nudge() {
	select {
	case db.kick <- struct{}{}:
	default:
	}
}

func (db *DB) flushLoop() {
	defer close(db.done)
	for {
		select {
		case <-db.kick:
			if db.drain() != nil {
				time.AfterFunc(time.Second, db.nudge)
			}
		case <-db.quit:
			_ = db.drain() // what fails here is replayed from the log at the next start
			return
		}
	}
}

// drain writes the full memtables to the table, oldest first. Only the flush
// goroutine takes memtables off the queue.
func (db *DB) drain() error {
	for {
		db.mu.RLock()
		var mt *memtable
		if len(db.full) > 0 {
			mt = db.full[0]
		}
		db.mu.RUnlock()
		if mt == nil {
			return nil
		}
		if err := db.table.Write(mt.entries()); err != nil {
			return err
		}
		db.mu.Lock()
		db.full = append([]*memtable(nil), db.full[1:]...)
		db.mu.Unlock()
	}
}

// Close writes out what is still in memory.
func (db *DB) Close() {
	db.mu.Lock()
	if !db.closed {
		db.closed = true
		db.full = append(db.full, db.mem)
		db.mem = newMemtable()
		close(db.quit)
	}
	db.mu.Unlock()
	<-db.done
}
