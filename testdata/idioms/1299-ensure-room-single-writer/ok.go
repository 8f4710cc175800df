package badger

import (
	"errors"
	"sync"
	"time"
)

var errNoRoom = errors.New("No room for write")

type memTable struct {
	mu   sync.RWMutex
	m    map[string][]byte
	size int
	max  int
}

func newMemTable(max int) *memTable { return &memTable{m: make(map[string][]byte), max: max} }

func (mt *memTable) isFull() bool {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	return mt.size >= mt.max
}

func (mt *memTable) Put(key string, v []byte) {
	mt.mu.Lock()
	defer mt.mu.Unlock()
	mt.m[key] = v
	mt.size += len(key) + len(v)
}

func (mt *memTable) Get(key string) ([]byte, bool) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	v, ok := mt.m[key]
	return v, ok
}

type request struct {
	key string
	val []byte
	wg  sync.WaitGroup
}

// Levels holds the tables on disk.
type Levels interface {
	addLevel0Table(mt *memTable) error
	get(key string) ([]byte, bool)
}

type DB struct {
	lock sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.
	mt   *memTable    // Our latest (actively written) in-memory table
	imm  []*memTable  // Add here only AFTER pushing to flushChan.

	lc        Levels
	max       int
	writeCh   chan *request
	flushChan chan *memTable
	wg        sync.WaitGroup
}

func Open(lc Levels, max int) *DB {
	db := &DB{lc: lc, max: max, mt: newMemTable(max), writeCh: make(chan *request, 1000), flushChan: make(chan *memTable, 5)}
	db.wg.Add(2)
	go db.doWrites()
	go db.flushMemtable()
	return db
}

func (db *DB) Set(key string, val []byte) {
	req := &request{key: key, val: val}
	req.wg.Add(1)
	db.writeCh <- req
	req.wg.Wait()
}

// getMemTables returns the current memtables, the newest first.
func (db *DB) getMemTables() []*memTable {
	db.lock.RLock()
	defer db.lock.RUnlock()
	tables := []*memTable{db.mt}
	for i := len(db.imm) - 1; i >= 0; i-- {
		tables = append(tables, db.imm[i])
	}
	return tables
}

func (db *DB) Get(key string) ([]byte, bool) {
	for _, mt := range db.getMemTables() {
		if v, ok := mt.Get(key); ok {
			return v, true
		}
	}
	return db.lc.get(key)
}

// doWrites is the only goroutine that writes.
func (db *DB) doWrites() {
	defer db.wg.Done()
	for req := range db.writeCh {
		for db.ensureRoomForWrite() == errNoRoom {
			// We need to poll a bit because both hasRoomForWrite and the flusher need access to s.imm.
			time.Sleep(10 * time.Millisecond)
		}
		db.writeToLSM(req)
		req.wg.Done()
	}
	db.lock.Lock()
	mt := db.mt
	db.imm = append(db.imm, mt)
	db.mt = newMemTable(db.max)
	db.lock.Unlock()
	db.flushChan <- mt
	close(db.flushChan)
}

func (db *DB) writeToLSM(req *request) {
	db.lock.RLock()
	mt := db.mt
	db.lock.RUnlock()
	mt.Put(req.key, req.val)
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
		db.mt = newMemTable(db.max)
		// New memtable is empty. We certainly have room.
		return nil
	default:
		// We need to do this to unlock and allow the flusher to modify imm.
		return errNoRoom
	}
}

// flushMemtable must keep running until we send it an empty memtable.
func (db *DB) flushMemtable() {
	defer db.wg.Done()
	for mt := range db.flushChan {
		for db.lc.addLevel0Table(mt) != nil {
			time.Sleep(time.Second)
		}
		// Update s.imm. Need a lock.
		db.lock.Lock()
		// This is a single-threaded operation. mt corresponds to the head of
		// db.imm list. Once we flush it, we advance db.imm.
		db.imm = db.imm[1:]
		db.lock.Unlock()
	}
}

// Close flushes what is in memory. There must be no writers anymore.
func (db *DB) Close() {
	close(db.writeCh)
	db.wg.Wait()
}
