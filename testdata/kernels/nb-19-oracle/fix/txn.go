// Package badger is a store with serializable snapshot transactions.
package badger

import (
	"errors"
	"hash/fnv"
	"sort"
	"sync"
	"sync/atomic"
)

var (
	ErrConflict     = errors.New("Transaction Conflict. Please retry")
	ErrReadOnlyTxn  = errors.New("No sets or deletes are allowed in a read-only transaction")
	ErrDiscardedTxn = errors.New("This transaction has been discarded. Create a new one")
)

type waterMark struct {
	mu      sync.Mutex
	cond    *sync.Cond
	pending map[uint64]struct{}
}

func newWaterMark() *waterMark {
	w := &waterMark{pending: make(map[uint64]struct{})}
	w.cond = sync.NewCond(&w.mu)
	return w
}

func (w *waterMark) Begin(ts uint64) {
	w.mu.Lock()
	w.pending[ts] = struct{}{}
	w.mu.Unlock()
}

func (w *waterMark) Done(ts uint64) {
	w.mu.Lock()
	delete(w.pending, ts)
	w.cond.Broadcast()
	w.mu.Unlock()
}

// Lock must be held.
func (w *waterMark) blocks(ts uint64) bool {
	for p := range w.pending {
		if p <= ts {
			return true
		}
	}
	return false
}

// WaitForMark waits until everything up to ts is done.
func (w *waterMark) WaitForMark(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.blocks(ts) {
		w.cond.Wait()
	}
}

type oracle struct {
	refCount int64

	sync.Mutex // For nextTxnTs and commits.
	// writeChLock lock is for ensuring that transactions go to the write
	// channel in the same order as their commit timestamps.
	writeChLock sync.Mutex
	nextTxnTs   uint64

	// Used to block NewTransaction, so all previous commits are visible to a new read.
	txnMark *waterMark

	// commits stores a key fingerprint and latest commit counter for it.
	// refCount is used to clear out commits map to avoid a memory blowup.
	commits map[uint64]uint64
}

func newOracle() *oracle {
	return &oracle{nextTxnTs: 1, commits: make(map[uint64]uint64), txnMark: newWaterMark()}
}

func (o *oracle) addRef() { atomic.AddInt64(&o.refCount, 1) }

func (o *oracle) decrRef() {
	if atomic.AddInt64(&o.refCount, -1) != 0 {
		return
	}

	// Clear out commits maps to release memory.
	o.Lock()
	defer o.Unlock()
	if atomic.LoadInt64(&o.refCount) != 0 {
		return
	}
	if len(o.commits) >= 1000 { // If the map is still small, let it slide.
		o.commits = make(map[uint64]uint64)
	}
}

func (o *oracle) readTs() uint64 {
	o.Lock()
	readTs := o.nextTxnTs - 1
	o.Unlock()

	// Wait for all txns which have been assigned a commit timestamp.
	o.txnMark.WaitForMark(readTs)
	return readTs
}

// hasConflict must be called while having a lock.
func (o *oracle) hasConflict(txn *Txn) bool {
	for _, ro := range txn.reads {
		if ts, has := o.commits[ro]; has && ts > txn.readTs {
			return true
		}
	}
	return false
}

func (o *oracle) newCommitTs(txn *Txn) uint64 {
	o.Lock()
	defer o.Unlock()
	if o.hasConflict(txn) {
		return 0
	}
	ts := o.nextTxnTs
	o.nextTxnTs++
	o.txnMark.Begin(ts)
	for _, w := range txn.writes {
		o.commits[w] = ts // Update the commitTs.
	}
	return ts
}

type version struct {
	ts    uint64
	value []byte
}

type DB struct {
	orc *oracle

	sync.RWMutex
	lsm map[string][]version
}

func Open() *DB { return &DB{orc: newOracle(), lsm: make(map[string][]version)} }

func (db *DB) get(key string, readTs uint64) ([]byte, bool) {
	db.RLock()
	defer db.RUnlock()
	vs := db.lsm[key]
	i := sort.Search(len(vs), func(i int) bool { return vs[i].ts > readTs })
	if i == 0 {
		return nil, false
	}
	return vs[i-1].value, true
}

func (db *DB) writeToLSM(ts uint64, entries map[string][]byte) {
	db.Lock()
	defer db.Unlock()
	for k, v := range entries {
		db.lsm[k] = append(db.lsm[k], version{ts, v})
	}
}

// Txn represents a Badger transaction. It is used by one goroutine.
type Txn struct {
	readTs uint64

	update        bool
	reads         []uint64          // contains fingerprints of keys read.
	writes        []uint64          // contains fingerprints of keys written.
	pendingWrites map[string][]byte // cache stores any writes done by txn.
	db            *DB
	discarded     bool
}

func fingerprint(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}

func (txn *Txn) Get(key string) ([]byte, bool, error) {
	if txn.discarded {
		return nil, false, ErrDiscardedTxn
	}
	if txn.update {
		if v, has := txn.pendingWrites[key]; has {
			return v, true, nil
		}
		txn.reads = append(txn.reads, fingerprint(key))
	}
	v, ok := txn.db.get(key, txn.readTs)
	return v, ok, nil
}

func (txn *Txn) Set(key string, val []byte) error {
	if !txn.update {
		return ErrReadOnlyTxn
	}
	if txn.discarded {
		return ErrDiscardedTxn
	}
	txn.writes = append(txn.writes, fingerprint(key))
	txn.pendingWrites[key] = val
	return nil
}

// Discard has to be called for every transaction.
func (txn *Txn) Discard() {
	if txn.discarded { // Avoid a re-run.
		return
	}
	txn.discarded = true
	if txn.update {
		txn.db.orc.decrRef()
	}
}

func (txn *Txn) Commit() error {
	defer txn.Discard()
	if len(txn.writes) == 0 {
		return nil // Nothing to do.
	}
	orc := txn.db.orc
	orc.writeChLock.Lock()
	defer orc.writeChLock.Unlock()
	commitTs := orc.newCommitTs(txn)
	if commitTs == 0 {
		return ErrConflict
	}
	txn.db.writeToLSM(commitTs, txn.pendingWrites)
	orc.txnMark.Done(commitTs)
	return nil
}

func (db *DB) NewTransaction(update bool) *Txn {
	txn := &Txn{update: update, db: db}
	if update {
		txn.pendingWrites = make(map[string][]byte)
		txn.db.orc.addRef()
	}
	txn.readTs = db.orc.readTs()
	return txn
}

func (db *DB) Update(fn func(txn *Txn) error) error {
	txn := db.NewTransaction(true)
	defer txn.Discard()
	if err := fn(txn); err != nil {
		return err
	}
	return txn.Commit()
}
