// Package badger is a key-value store with one writer goroutine.
package badger

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrBlockedWrites is returned if the user tries to write to a DB while it
// drops data.
var ErrBlockedWrites = errors.New("writes are blocked, possibly due to DropAll or Close")

const kvWriteChCapacity = 1000

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
}

type request struct {
	Entries []*Entry
	done    chan struct{}
}

// DB may be used from any goroutine.
type DB struct {
	sync.RWMutex // Guards mt, tables and writes.
	mt           *memTable
	tables       []map[string][]byte
	writes       *closer

	writeCh     chan *request
	blockWrites atomic.Int32
	log         func(format string, v ...any)
}

// Open returns an empty DB.
func Open(log func(string, ...any)) *DB {
	db := &DB{
		mt:      newMemTable(),
		writeCh: make(chan *request, kvWriteChCapacity),
		log:     log,
	}
	db.writes = newCloser()
	go db.doWrites(db.writes)
	return db
}

// Set writes entries and waits until they can be read.
func (db *DB) Set(entries ...*Entry) error {
	if db.blockWrites.Load() == 1 {
		return ErrBlockedWrites
	}
	req := &request{Entries: entries, done: make(chan struct{})}
	db.writeCh <- req // Handled in doWrites.
	<-req.done
	return nil
}

// Get returns the value of a key.
func (db *DB) Get(key string) ([]byte, bool) {
	db.RLock()
	defer db.RUnlock()
	if v, ok := db.mt.Get(key); ok {
		return v, true
	}
	for i := len(db.tables) - 1; i >= 0; i-- {
		if v, ok := db.tables[i][key]; ok {
			return v, true
		}
	}
	return nil, false
}

// writeRequests is called serially by only one goroutine.
func (db *DB) writeRequests(reqs []*request) {
	db.RLock()
	mt := db.mt
	db.RUnlock()
	for _, r := range reqs {
		for _, e := range r.Entries {
			mt.Put(e.Key, e.Value)
		}
		close(r.done)
	}
}

func (db *DB) doWrites(lc *closer) {
	defer lc.Done()
	for {
		select {
		case r := <-db.writeCh:
			db.writeRequests([]*request{r})
		case <-lc.HasBeenClosed():
			return
		}
	}
}

func (db *DB) blockWrite() {
	// Stop accepting new writes.
	db.blockWrites.Store(1)

	// Make the writer finish.
	db.RLock()
	writes := db.writes
	db.RUnlock()
	writes.SignalAndWait()
	db.log("Writes stopped")
}

func (db *DB) unblockWrite() {
	lc := newCloser()
	db.Lock()
	db.writes = lc
	db.Unlock()
	go db.doWrites(lc)

	// Resume writes.
	db.blockWrites.Store(0)
}

func (db *DB) prepareToDrop() func() {
	// In order prepare for drop, we need to block the incoming writes and
	// write what was accepted.
	db.blockWrite()
	var reqs []*request
	for {
		select {
		case r := <-db.writeCh:
			reqs = append(reqs, r)
		default:
			db.writeRequests(reqs)
			return func() {
				db.log("Resuming writes")
				db.unblockWrite()
			}
		}
	}
}

// DropAll would drop all the data stored in Badger. Writes get
// ErrBlockedWrites until it is finished.
func (db *DB) DropAll() error {
	f := db.prepareToDrop()
	defer f()
	db.Lock()
	defer db.Unlock()
	db.mt = newMemTable()
	db.tables = nil
	return nil
}

// DropPrefix would drop all the keys with the provided prefix. The memtable is
// turned into a table on the way.
func (db *DB) DropPrefix(prefix string) error {
	f := db.prepareToDrop()
	defer f()
	// Block all foreign interactions with memory tables.
	db.Lock()
	defer db.Unlock()
	var kept []map[string][]byte
	for _, t := range db.tables {
		if t = without(t, prefix); len(t) > 0 {
			kept = append(kept, t)
		}
	}
	flushed := make(map[string][]byte)
	db.mt.each(func(k string, v []byte) { flushed[k] = v })
	db.tables = append(kept, without(flushed, prefix))
	db.mt = newMemTable()
	return nil
}

// without returns a copy of a table without the keys with the prefix.
func without(t map[string][]byte, prefix string) map[string][]byte {
	out := make(map[string][]byte, len(t))
	for k, v := range t {
		if !strings.HasPrefix(k, prefix) {
			out[k] = v
		}
	}
	return out
}
