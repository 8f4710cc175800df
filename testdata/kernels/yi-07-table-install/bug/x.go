// Package lsm is a small log-structured store: an active memtable, full ones
// that wait to be flushed, and sorted tables.
package lsm

import (
	"hash/fnv"
	"sort"
	"sync"
)

type memtable map[string][]byte

// table is a sorted run. Its index is loaded separately from its data.
type table struct {
	id int

	mu     sync.RWMutex
	keys   []string
	vals   [][]byte
	filter map[uint32]struct{}
	lo, hi string
}

func writeTable(id int, m memtable) *table {
	t := &table{id: id, keys: make([]string, 0, len(m))}
	for k := range m {
		t.keys = append(t.keys, k)
	}
	sort.Strings(t.keys)
	for _, k := range t.keys {
		t.vals = append(t.vals, m[k])
	}
	return t
}

func fingerprint(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()
}

// loadIndex builds the key range and the filter.
func (t *table) loadIndex() {
	filter := make(map[uint32]struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.keys {
		filter[fingerprint(k)] = struct{}{}
	}
	t.filter = filter
	if n := len(t.keys); n > 0 {
		t.lo, t.hi = t.keys[0], t.keys[n-1]
	}
}

func (t *table) get(key string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if key < t.lo || key > t.hi {
		return nil, false
	}
	if _, ok := t.filter[fingerprint(key)]; !ok {
		return nil, false
	}
	i := sort.SearchStrings(t.keys, key)
	if i < len(t.keys) && t.keys[i] == key {
		return t.vals[i], true
	}
	return nil, false
}

// DB is the store.
type DB struct {
	memSize int
	kick    chan struct{}
	done    chan struct{}

	mu     sync.RWMutex
	active memtable
	imm    []memtable // oldest first, not written to any more
	tables []*table   // oldest first
	nextID int
}

// Open returns an empty store that rotates its memtable at memSize keys.
func Open(memSize int) *DB {
	db := &DB{
		memSize: memSize,
		kick:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		active:  make(memtable),
	}
	go db.flusher()
	return db
}

// Close ends the flusher. No Put may run or follow.
func (db *DB) Close() {
	close(db.kick)
	<-db.done
}

// Put sets a key.
func (db *DB) Put(key string, val []byte) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.active[key] = val
	if len(db.active) < db.memSize {
		return
	}
	db.imm = append(db.imm, db.active)
	db.active = make(memtable)
	select {
	case db.kick <- struct{}{}:
	default:
	}
}

// Get returns the newest value of a key.
func (db *DB) Get(key string) ([]byte, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if v, ok := db.active[key]; ok {
		return v, true
	}
	for i := len(db.imm) - 1; i >= 0; i-- {
		if v, ok := db.imm[i][key]; ok {
			return v, true
		}
	}
	for i := len(db.tables) - 1; i >= 0; i-- {
		if v, ok := db.tables[i].get(key); ok {
			return v, true
		}
	}
	return nil, false
}

func (db *DB) flusher() {
	defer close(db.done)
	for range db.kick {
		for db.flushOldest() {
		}
	}
}

// flushOldest turns the oldest full memtable into a table.
func (db *DB) flushOldest() bool {
	db.mu.Lock()
	if len(db.imm) == 0 {
		db.mu.Unlock()
		return false
	}
	m := db.imm[0]
	db.nextID++
	id := db.nextID
	db.mu.Unlock()

	t := writeTable(id, m)
	db.install(t)
	t.loadIndex()
	return true
}

// install adds the table and drops the memtable it was written from.
func (db *DB) install(t *table) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.tables = append(db.tables, t)
	db.imm = append([]memtable(nil), db.imm[1:]...)
}
