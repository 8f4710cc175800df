// Package ok writes into a table in memory, which is flushed to a level when it is full.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errClosed = errors.New("database is closed")

type memtable struct {
	ref atomic.Int32
	mu  sync.RWMutex
	m   map[string]string
}

func newMemtable() *memtable {
	t := &memtable{m: make(map[string]string)}
	t.ref.Store(1)
	return t
}

func (t *memtable) incr() { t.ref.Add(1) }

func (t *memtable) decr() {
	if t.ref.Add(-1) > 0 {
		return
	}
	t.mu.Lock()
	t.m = nil
	t.mu.Unlock()
}

func (t *memtable) get(k string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *memtable) put(k, v string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
	return len(t.m)
}

type level struct {
	mu sync.RWMutex
	m  map[string]string
}

func (l *level) get(k string) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	v, ok := l.m[k]
	return v, ok
}

func (l *level) merge(t *memtable) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, v := range t.m {
		l.m[k] = v
	}
}

// DB is the database.
type DB struct {
	mu     sync.RWMutex
	mt     *memtable
	imm    []*memtable
	closed bool
	limit  int

	bottom *level
	flush  chan *memtable
	done   chan struct{}
}

// Open returns an empty database.
func Open(limit int) *DB {
	db := &DB{
		mt:     newMemtable(),
		limit:  limit,
		bottom: &level{m: make(map[string]string)},
		flush:  make(chan *memtable, 16),
		done:   make(chan struct{}),
	}
	go db.flushLoop()
	return db
}

func (db *DB) tables() ([]*memtable, func()) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	ts := make([]*memtable, 0, len(db.imm)+1)
	ts = append(ts, db.mt)
	db.mt.incr()
	for i := len(db.imm) - 1; i >= 0; i-- {
		ts = append(ts, db.imm[i])
		db.imm[i].incr()
	}
	return ts, func() {
		for _, t := range ts {
			t.decr()
		}
	}
}

// Get returns the newest value of a key.
func (db *DB) Get(k string) (string, bool) {
	ts, release := db.tables()
	defer release()
	for _, t := range ts {
		if v, ok := t.get(k); ok {
			return v, true
		}
	}
	return db.bottom.get(k)
}

// Put sets a key.
func (db *DB) Put(k, v string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return errClosed
	}
	if db.mt.put(k, v) < db.limit {
		return nil
	}
	select {
	case db.flush <- db.mt:
		db.imm = append(db.imm, db.mt)
		db.mt = newMemtable()
	default:
	}
	return nil
}

func (db *DB) flushLoop() {
	defer close(db.done)
	for t := range db.flush {
		db.bottom.merge(t)
		db.mu.Lock()
		if db.imm[0] != t {
			panic("tables are flushed out of order")
		}
		db.imm = append([]*memtable(nil), db.imm[1:]...)
		db.mu.Unlock()
		t.decr()
	}
}

// Close flushes what is full and ends the use of the database.
func (db *DB) Close() {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		<-db.done
		return
	}
	db.closed = true
	close(db.flush)
	db.mu.Unlock()
	<-db.done
}
