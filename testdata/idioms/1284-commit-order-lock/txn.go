package badger

import (
	"errors"
	"sync"
)

var ErrConflict = errors.New("transaction conflict. Please retry")

type oracle struct {
	// A 64-bit integer must be at the top for memory alignment.
	sync.Mutex // For nextTxnTs and commits.
	// writeChLock lock is for ensuring that transactions go to the write
	// channel in the same order as their commit timestamps.
	writeChLock sync.Mutex
	nextTxnTs   uint64

	// committedTxns contains all committed writes (contains fingerprints
	// of keys written and their latest commit counter).
	committedTxns map[uint64]uint64

	doneUntil uint64     // All commits up to it are applied.
	applied   *sync.Cond // Signaled when doneUntil grows.
}

func newOracle() *oracle {
	o := &oracle{nextTxnTs: 1, committedTxns: make(map[uint64]uint64)}
	o.applied = sync.NewCond(&o.Mutex)
	return o
}

func (o *oracle) readTs() uint64 {
	o.Lock()
	defer o.Unlock()
	ts := o.nextTxnTs - 1
	// Wait for all txns which have no conflicts, have been assigned a commit
	// timestamp and are going through the write to value log and LSM tree
	// process.
	for o.doneUntil < ts {
		o.applied.Wait()
	}
	return ts
}

func (o *oracle) doneCommit(ts uint64) {
	o.Lock()
	o.doneUntil = ts
	o.Unlock()
	o.applied.Broadcast()
}

// hasConflict must be called while having a lock.
func (o *oracle) hasConflict(txn *Txn) bool {
	for _, ro := range txn.reads {
		// A commit at the read timestamp is expected.
		// But, any commit after the read timestamp should cause a conflict.
		if ts, has := o.committedTxns[ro]; has && ts > txn.readTs {
			return true
		}
	}
	return false
}

func (o *oracle) newCommitTs(txn *Txn) (uint64, bool) {
	o.Lock()
	defer o.Unlock()

	if o.hasConflict(txn) {
		return 0, true
	}

	// This is the general case, when user doesn't specify the read and commit ts.
	ts := o.nextTxnTs
	o.nextTxnTs++
	for fp := range txn.writes {
		o.committedTxns[fp] = ts
	}
	return ts, false
}

type request struct {
	ts      uint64
	entries map[uint64][]byte
	wg      sync.WaitGroup
	err     error
}

// DB takes the writes of the transactions from a channel, on one goroutine.
type DB struct {
	orc     *oracle
	writeCh chan *request
	apply   func(ts uint64, entries map[uint64][]byte) error
}

func Open(apply func(uint64, map[uint64][]byte) error) *DB {
	db := &DB{orc: newOracle(), writeCh: make(chan *request, 1000), apply: apply}
	go db.doWrites()
	return db
}

// doWrites applies the requests; their timestamps grow.
func (db *DB) doWrites() {
	var last uint64
	for r := range db.writeCh {
		if r.ts <= last {
			panic("commit timestamps are out of order")
		}
		last = r.ts
		r.err = db.apply(r.ts, r.entries)
		db.orc.doneCommit(r.ts)
		r.wg.Done()
	}
}

// Txn represents a Badger transaction. It is used by one goroutine.
type Txn struct {
	db     *DB
	readTs uint64
	reads  []uint64
	writes map[uint64][]byte
}

func (db *DB) NewTransaction() *Txn {
	return &Txn{db: db, readTs: db.orc.readTs(), writes: make(map[uint64][]byte)}
}

func (txn *Txn) Read(fp uint64)              { txn.reads = append(txn.reads, fp) }
func (txn *Txn) Set(fp uint64, value []byte) { txn.writes[fp] = value }

func (txn *Txn) commitAndSend() (*request, error) {
	orc := txn.db.orc
	// Ensure that the order in which we get the commit timestamp is the same as
	// the order in which we push these updates to the write channel. So, we
	// acquire a writeChLock before getting a commit timestamp, and only release
	// it after pushing the entries to it.
	orc.writeChLock.Lock()
	defer orc.writeChLock.Unlock()

	commitTs, conflict := orc.newCommitTs(txn)
	if conflict {
		return nil, ErrConflict
	}

	req := &request{ts: commitTs, entries: txn.writes}
	req.wg.Add(1)
	txn.db.writeCh <- req
	return req, nil
}

// Commit commits the transaction, following these steps: get a timestamp,
// checking for conflicts, and send the writes to the write channel.
func (txn *Txn) Commit() error {
	if len(txn.writes) == 0 {
		return nil // Nothing to do.
	}
	req, err := txn.commitAndSend()
	if err != nil {
		return err
	}
	req.wg.Wait()
	return req.err
}
