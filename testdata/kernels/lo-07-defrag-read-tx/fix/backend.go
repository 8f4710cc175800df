package backend

import (
	"errors"
	"maps"
	"sync"
)

var errTxClosed = errors.New("tx closed")

// DB is the file; a Tx sees the state of the moment it was begun.
type DB struct {
	mu   sync.Mutex
	data map[string]string
}

// Tx is a transaction of a DB.
type Tx struct {
	db       *DB
	writable bool
	view     map[string]string
}

func openDB(data map[string]string) *DB {
	return &DB{data: data}
}

// Begin starts a transaction.
func (db *DB) Begin(writable bool) *Tx {
	db.mu.Lock()
	defer db.mu.Unlock()
	return &Tx{db: db, writable: writable, view: maps.Clone(db.data)}
}

// Commit makes the changes visible for transactions begun later.
func (tx *Tx) Commit() {
	tx.db.mu.Lock()
	defer tx.db.mu.Unlock()
	tx.db.data = maps.Clone(tx.view)
}

// ReadTx is what the range requests use; it sees the buffer of the batch as well.
type ReadTx struct {
	// mu protects accesses to the buffer and to tx.
	mu  sync.RWMutex
	buf map[string]string
	tx  *Tx
}

// Lock is taken by a range request; many may hold it.
func (rt *ReadTx) Lock() { rt.mu.RLock() }

// Unlock ends a range request.
func (rt *ReadTx) Unlock() { rt.mu.RUnlock() }

// UnsafeGet must be called holding the lock.
func (rt *ReadTx) UnsafeGet(key string) (string, error) {
	if v, ok := rt.buf[key]; ok {
		return v, nil
	}
	if rt.tx == nil {
		return "", errTxClosed
	}
	return rt.tx.view[key], nil
}

func (rt *ReadTx) reset() {
	rt.buf = make(map[string]string)
	rt.tx = nil
}

type batchTx struct {
	sync.Mutex
	backend *Backend
	tx      *Tx
	buf     map[string]string
}

// Put must be called holding the lock.
func (t *batchTx) Put(key, val string) {
	t.tx.view[key] = val
	t.buf[key] = val
}

// Unlock ends an update and makes it visible for range requests.
func (t *batchTx) Unlock() {
	if len(t.buf) > 0 {
		t.backend.readTx.mu.Lock()
		maps.Copy(t.backend.readTx.buf, t.buf)
		t.backend.readTx.mu.Unlock()
		clear(t.buf)
	}
	t.Mutex.Unlock()
}

func (t *batchTx) commit(stop bool) {
	// all read txs must be closed to acquire the commit lock
	t.backend.readTx.mu.Lock()
	defer t.backend.readTx.mu.Unlock()
	t.unsafeCommit(stop)
}

// unsafeCommit must be called holding readTx.mu.
func (t *batchTx) unsafeCommit(stop bool) {
	t.backend.readTx.reset()
	if t.tx != nil {
		t.tx.Commit()
		t.tx = nil
	}
	if !stop {
		t.tx = t.backend.db.Begin(true)
		t.backend.readTx.tx = t.backend.db.Begin(false)
	}
}

// Backend is the store of the server.
type Backend struct {
	batchTx *batchTx
	readTx  *ReadTx
	// db is protected by the lock of batchTx.
	db *DB
}

// New opens a backend.
func New() *Backend {
	b := &Backend{db: openDB(map[string]string{}), readTx: &ReadTx{}}
	b.batchTx = &batchTx{backend: b, buf: make(map[string]string)}
	b.batchTx.Lock()
	b.batchTx.commit(false)
	b.batchTx.Unlock()
	return b
}

// Update is called by the apply loop.
func (b *Backend) Update(key, val string) {
	b.batchTx.Lock()
	b.batchTx.Put(key, val)
	b.batchTx.Unlock()
}

// Commit is called by the ticker of the backend.
func (b *Backend) Commit() {
	b.batchTx.Lock()
	defer b.batchTx.Unlock()
	b.batchTx.commit(false)
}

// Range is called by the handlers of the clients.
func (b *Backend) Range(keys []string) ([]string, error) {
	b.readTx.Lock()
	defer b.readTx.Unlock()
	var vals []string
	for _, k := range keys {
		v, err := b.readTx.UnsafeGet(k)
		if err != nil {
			return nil, err
		}
		vals = append(vals, v)
	}
	return vals, nil
}

// Defrag rewrites the file; the maintenance handler calls it while clients
// read and write.
func (b *Backend) Defrag() {
	// lock batchTx to ensure nobody is using previous tx, and then
	// close previous ongoing tx.
	b.batchTx.Lock()
	defer b.batchTx.Unlock()

	// block concurrent read requests while resetting tx
	b.readTx.mu.Lock()
	defer b.readTx.mu.Unlock()

	b.batchTx.unsafeCommit(true)

	tmpdb := openDB(make(map[string]string))
	defragdb(b.db, tmpdb)
	b.db = tmpdb

	b.batchTx.tx = b.db.Begin(true)
	b.readTx.reset()
	b.readTx.tx = b.db.Begin(false)
}

func defragdb(odb, tmpdb *DB) {
	tx := odb.Begin(false)
	tmptx := tmpdb.Begin(true)
	maps.Copy(tmptx.view, tx.view)
	tmptx.Commit()
}
