// Package memtable is the write path of a small log-structured store.
package memtable

import (
	"slices"
	"sort"
	"sync"
)

type entry struct {
	key string
	val []byte
}

type table struct {
	mu   sync.RWMutex
	m    map[string][]byte
	size int
}

func newTable() *table { return &table{m: make(map[string][]byte)} }

func (t *table) put(key string, val []byte) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size += len(key) + len(val)
	t.m[key] = val
	return t.size
}

func (t *table) get(key string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[key]
	return v, ok
}

func (t *table) sorted() []entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]entry, 0, len(t.m))
	for k, v := range t.m {
		out = append(out, entry{k, v})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].key < out[j].key })
	return out
}

type run []entry

func (r run) get(key string) ([]byte, bool) {
	i := sort.Search(len(r), func(i int) bool { return r[i].key >= key })
	if i < len(r) && r[i].key == key {
		return r[i].val, true
	}
	return nil, false
}

// DB keeps recent writes in memory tables and flushes them to sorted runs.
type DB struct {
	limit int

	mu     sync.RWMutex
	active *table
	frozen []*table // oldest first
	runs   []run    // oldest first

	wake chan struct{}
	stop chan struct{}
	done chan struct{}
}

// Open starts a store whose memory tables hold about limit bytes.
func Open(limit int) *DB {
	db := &DB{
		limit:  limit,
		active: newTable(),
		wake:   make(chan struct{}, 1),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go db.flusher()
	return db
}

// Put stores val under key.
func (db *DB) Put(key string, val []byte) {
	db.mu.RLock()
	t := db.active
	size := t.put(key, slices.Clone(val))
	db.mu.RUnlock()

	if size >= db.limit {
		db.rotate(t)
	}
}

// Get returns the newest value of key.
func (db *DB) Get(key string) ([]byte, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if v, ok := db.active.get(key); ok {
		return v, true
	}
	for _, t := range slices.Backward(db.frozen) {
		if v, ok := t.get(key); ok {
			return v, true
		}
	}
	for _, r := range slices.Backward(db.runs) {
		if v, ok := r.get(key); ok {
			return v, true
		}
	}
	return nil, false
}

// rotate freezes t if it is still the active table.
func (db *DB) rotate(t *table) {
	db.mu.Lock()
	if db.active == t {
		db.frozen = append(db.frozen, t)
		db.active = newTable()
	}
	db.mu.Unlock()
	select {
	case db.wake <- struct{}{}:
	default:
	}
}

func (db *DB) flusher() {
	defer close(db.done)
	for {
		select {
		case <-db.wake:
		case <-db.stop:
			return
		}
		for db.flushOldest() {
		}
	}
}

func (db *DB) flushOldest() bool {
	db.mu.RLock()
	if len(db.frozen) == 0 {
		db.mu.RUnlock()
		return false
	}
	t := db.frozen[0]
	db.mu.RUnlock()

	r := run(t.sorted())

	db.mu.Lock()
	db.frozen = slices.Delete(db.frozen, 0, 1)
	db.runs = append(db.runs, r)
	db.mu.Unlock()
	return true
}

// Close stops the flusher.
func (db *DB) Close() {
	close(db.stop)
	<-db.done
}
