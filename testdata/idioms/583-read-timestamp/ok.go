// Package ok gives out the timestamps of optimistic transactions.
package ok

import (
	"errors"
	"sync"
)

// ErrConflict is returned when a transaction conflicts with another one.
var ErrConflict = errors.New("transaction conflict, please retry")

// waterMark knows up to which timestamp all commits are finished.
type waterMark struct {
	mu        sync.Mutex
	cond      *sync.Cond
	pending   map[uint64]bool
	last      uint64
	doneUntil uint64
}

func newWaterMark() *waterMark {
	w := &waterMark{pending: make(map[uint64]bool)}
	w.cond = sync.NewCond(&w.mu)
	return w
}

// begin is called in the order of the timestamps.
func (w *waterMark) begin(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[ts] = true
	w.last = ts
}

func (w *waterMark) done(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pending, ts)
	for w.doneUntil < w.last && !w.pending[w.doneUntil+1] {
		w.doneUntil++
	}
	w.cond.Broadcast()
}

func (w *waterMark) waitForMark(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.doneUntil < ts {
		w.cond.Wait()
	}
}

// oracle orders the transactions.
type oracle struct {
	// writeChLock lock is for ensuring that transactions go to the write
	// channel in the same order as their commit timestamps.
	writeChLock sync.Mutex

	mu        sync.Mutex
	nextTxnTs uint64
	commits   map[string]uint64 // key -> latest commit

	// Used to block NewTransaction, so all previous commits are visible to a new read.
	txnMark *waterMark
}

func (o *oracle) readTs() uint64 {
	o.mu.Lock()
	readTs := o.nextTxnTs - 1
	o.mu.Unlock()

	// Wait for all txns which have no conflicts, have been assigned a commit
	// timestamp and are going through the write to the store.
	o.txnMark.waitForMark(readTs)
	return readTs
}

func (o *oracle) newCommitTs(readTs uint64, reads []string, writes map[string]string) (uint64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range reads {
		if o.commits[key] > readTs {
			return 0, true
		}
	}
	ts := o.nextTxnTs
	o.nextTxnTs++
	o.txnMark.begin(ts)
	for key := range writes {
		o.commits[key] = ts
	}
	return ts, false
}

type version struct {
	ts    uint64
	value string
}

type request struct {
	ts     uint64
	writes map[string]string
	done   chan struct{}
}

// DB keeps all versions of its keys.
type DB struct {
	orc     *oracle
	writeCh chan *request

	mu   sync.RWMutex
	data map[string][]version // oldest first
}

// Open returns an empty DB.
func Open() *DB {
	db := &DB{
		orc:     &oracle{nextTxnTs: 1, commits: make(map[string]uint64), txnMark: newWaterMark()},
		writeCh: make(chan *request, 16),
		data:    make(map[string][]version),
	}
	go db.doWrites()
	return db
}

func (db *DB) doWrites() {
	for req := range db.writeCh {
		db.mu.Lock()
		for k, v := range req.writes {
			db.data[k] = append(db.data[k], version{req.ts, v})
		}
		db.mu.Unlock()
		db.orc.txnMark.done(req.ts)
		close(req.done)
	}
}

// Txn is used by one goroutine.
type Txn struct {
	db     *DB
	readTs uint64
	reads  []string
	writes map[string]string
}

// NewTransaction sees all commits that returned before, and no later ones.
func (db *DB) NewTransaction() *Txn {
	return &Txn{db: db, readTs: db.orc.readTs(), writes: make(map[string]string)}
}

// Get returns the value of a key.
func (txn *Txn) Get(key string) (string, bool) {
	if v, ok := txn.writes[key]; ok {
		return v, true
	}
	txn.reads = append(txn.reads, key)
	txn.db.mu.RLock()
	defer txn.db.mu.RUnlock()
	vs := txn.db.data[key]
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].ts <= txn.readTs {
			return vs[i].value, true
		}
	}
	return "", false
}

// Set changes a key when the transaction commits.
func (txn *Txn) Set(key, value string) { txn.writes[key] = value }

// Commit makes the writes visible, unless a key that was read has changed.
func (txn *Txn) Commit() error {
	orc := txn.db.orc
	orc.writeChLock.Lock()
	ts, conflict := orc.newCommitTs(txn.readTs, txn.reads, txn.writes)
	if conflict {
		orc.writeChLock.Unlock()
		return ErrConflict
	}
	req := &request{ts: ts, writes: txn.writes, done: make(chan struct{})}
	txn.db.writeCh <- req
	orc.writeChLock.Unlock()
	<-req.done
	return nil
}
