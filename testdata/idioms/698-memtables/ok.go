// Package db reads from the tables in memory and on disk.
package db

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	ErrKeyNotFound = errors.New("Key not found")
	ErrDBClosed    = errors.New("DB Closed")
	errNoRoom      = errors.New("No room for write")
)

// arena is memory that is given back by hand.
type arena struct {
	buf []byte
}

type arenaPool struct{ free sync.Pool }

func (p *arenaPool) get() *arena {
	if a, ok := p.free.Get().(*arena); ok {
		a.buf = a.buf[:0]
		return a
	}
	return &arena{buf: make([]byte, 0, 1<<20)}
}

type span struct{ off, n int }

// memTable is written to by one goroutine and read by many.
type memTable struct {
	ref  int32 // For the arena. Atomic.
	pool *arenaPool

	mu    sync.RWMutex
	arena *arena
	index map[string]span
}

func newMemTable(p *arenaPool) *memTable {
	return &memTable{ref: 1, pool: p, arena: p.get(), index: make(map[string]span)}
}

func (mt *memTable) IncrRef() { atomic.AddInt32(&mt.ref, 1) }

// DecrRef gives the arena back when the last reference is dropped.
func (mt *memTable) DecrRef() {
	if atomic.AddInt32(&mt.ref, -1) > 0 {
		return
	}
	mt.pool.free.Put(mt.arena)
	mt.arena, mt.index = nil, nil
}

func (mt *memTable) Put(key string, value []byte) {
	mt.mu.Lock()
	defer mt.mu.Unlock()
	mt.index[key] = span{len(mt.arena.buf), len(value)}
	mt.arena.buf = append(mt.arena.buf, value...)
}

// Get returns a copy of the value.
func (mt *memTable) Get(key string) ([]byte, bool) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	s, ok := mt.index[key]
	if !ok {
		return nil, false
	}
	return append([]byte(nil), mt.arena.buf[s.off:s.off+s.n]...), true
}

func (mt *memTable) isFull() bool {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	return len(mt.arena.buf) >= 1<<20
}

func (mt *memTable) each(fn func(key string, value []byte)) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	for k, s := range mt.index {
		fn(k, mt.arena.buf[s.off:s.off+s.n])
	}
}

// levels is what has been flushed.
type levels struct {
	mu   sync.RWMutex
	data map[string][]byte
}

func (l *levels) add(kvs map[string][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, v := range kvs {
		l.data[k] = v
	}
}

func (l *levels) get(key string) ([]byte, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	v, ok := l.data[key]
	return v, ok
}

type request struct {
	key   string
	value []byte
	err   chan error
}

// DB is the store.
type DB struct {
	pool arenaPool
	lc   levels

	lock sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.
	mt   *memTable
	imm  []*memTable // Add here only AFTER pushing to flushChan.

	writeCh   chan request
	flushChan chan *memTable
	stopCh    chan struct{}
	wg        sync.WaitGroup
}

func Open() *DB {
	db := &DB{
		lc:        levels{data: make(map[string][]byte)},
		writeCh:   make(chan request, 1000),
		flushChan: make(chan *memTable, 5),
		stopCh:    make(chan struct{}),
	}
	db.mt = newMemTable(&db.pool)
	db.wg.Add(2)
	go db.doWrites()
	go db.flushMemtables()
	return db
}

// Set writes a value.
func (db *DB) Set(key string, value []byte) error {
	r := request{key, value, make(chan error, 1)}
	select {
	case db.writeCh <- r:
	case <-db.stopCh:
		return ErrDBClosed
	}
	select {
	case err := <-r.err:
		return err
	case <-db.stopCh:
		return ErrDBClosed
	}
}

// doWrites is the only goroutine that writes to db.mt and replaces it.
func (db *DB) doWrites() {
	defer db.wg.Done()
	defer close(db.flushChan)
	for {
		select {
		case r := <-db.writeCh:
			if err := db.ensureRoomForWrite(); err != nil {
				r.err <- fmt.Errorf("writing %q: %w", r.key, err)
				continue
			}
			db.mt.Put(r.key, r.value)
			r.err <- nil
		case <-db.stopCh:
			return
		}
	}
}

// ensureRoomForWrite is always called serially.
func (db *DB) ensureRoomForWrite() error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if !db.mt.isFull() {
		return nil
	}
	select {
	case db.flushChan <- db.mt:
		// We manage to push this task. Let's modify imm.
		db.imm = append(db.imm, db.mt)
		db.mt = newMemTable(&db.pool)
		// New memtable is empty. We certainly have room.
		return nil
	default:
		return errNoRoom
	}
}

func (db *DB) flushMemtables() {
	defer db.wg.Done()
	for mt := range db.flushChan {
		kvs := make(map[string][]byte)
		mt.each(func(k string, v []byte) { kvs[k] = append([]byte(nil), v...) })
		db.lc.add(kvs)

		// Update s.imm. Need a lock.
		db.lock.Lock()
		// This is a single-threaded operation. mt corresponds to the head of
		// db.imm list.
		db.imm = db.imm[1:]
		mt.DecrRef() // Return memory.
		db.lock.Unlock()
	}
}

// getMemTables returns the current memtables and get references.
func (db *DB) getMemTables() ([]*memTable, func()) {
	db.lock.RLock()
	defer db.lock.RUnlock()

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
func (db *DB) Get(key string) ([]byte, error) {
	tables, decr := db.getMemTables() // Lock should be released.
	defer decr()
	for _, t := range tables {
		if v, ok := t.Get(key); ok {
			return v, nil
		}
	}
	if v, ok := db.lc.get(key); ok {
		return v, nil
	}
	return nil, ErrKeyNotFound
}

// Close stops the store, reads are still possible.
func (db *DB) Close() {
	close(db.stopCh)
	db.wg.Wait()
}
