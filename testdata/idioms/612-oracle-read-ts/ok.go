// Package ok hands out the timestamps of transactions.
package ok

import (
	"context"
	"sync"
)

// WaterMark tells up to which index everything is done.
type WaterMark struct {
	mu        sync.Mutex
	pending   map[uint64]int
	last      uint64 // highest index that was begun
	doneUntil uint64
	waiters   map[uint64][]chan struct{}
}

func newWaterMark(done uint64) *WaterMark {
	return &WaterMark{
		pending:   make(map[uint64]int),
		last:      done,
		doneUntil: done,
		waiters:   make(map[uint64][]chan struct{}),
	}
}

// Begin sets the last index to the given value. Indices do not decrease.
func (w *WaterMark) Begin(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = index
	w.pending[index]++
}

// Done sets a single index as done.
func (w *WaterMark) Done(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[index]--; w.pending[index] == 0 {
		delete(w.pending, index)
	}
	until := w.last
	for i := range w.pending {
		until = min(until, i-1)
	}
	if until <= w.doneUntil {
		return
	}
	w.doneUntil = until
	for i, chs := range w.waiters {
		if i <= until {
			for _, ch := range chs {
				close(ch)
			}
			delete(w.waiters, i)
		}
	}
}

// DoneUntil returns the maximum index that has the property that all indices
// less than or equal to it are done.
func (w *WaterMark) DoneUntil() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.doneUntil
}

// WaitForMark waits until the given index is marked as done.
func (w *WaterMark) WaitForMark(ctx context.Context, index uint64) error {
	if w.DoneUntil() >= index {
		return nil
	}
	w.mu.Lock()
	if w.doneUntil >= index {
		w.mu.Unlock()
		return nil
	}
	waitCh := make(chan struct{})
	w.waiters[index] = append(w.waiters[index], waitCh)
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-waitCh:
		return nil
	}
}

type committedTxn struct {
	ts           uint64
	conflictKeys map[string]struct{}
}

type oracle struct {
	sync.Mutex // For nextTxnTs and commits.
	// writeChLock lock is for ensuring that transactions go to the write
	// channel in the same order as their commit timestamps.
	writeChLock sync.Mutex
	nextTxnTs   uint64

	// Used to block NewTransaction, so all previous commits are visible to a new read.
	txnMark *WaterMark
	// Used to find the commits that no running transaction can conflict with.
	readMark *WaterMark

	committedTxns []committedTxn
}

func (o *oracle) readTs(ctx context.Context) (uint64, error) {
	o.Lock()
	readTs := o.nextTxnTs - 1
	o.readMark.Begin(readTs)
	o.Unlock()

	// Wait for all txns which have no conflicts, have been assigned a commit
	// timestamp and are going through the write to value log and LSM tree
	// process. Not waiting here could mean that some txns which have been
	// committed would not be read.
	if err := o.txnMark.WaitForMark(ctx, readTs); err != nil {
		o.readMark.Done(readTs)
		return 0, err
	}
	return readTs, nil
}

func (o *oracle) newCommitTs(txn *Txn) (uint64, bool) {
	o.Lock()
	defer o.Unlock()
	for _, c := range o.committedTxns {
		if c.ts <= txn.readTs {
			continue
		}
		for _, ro := range txn.reads {
			if _, has := c.conflictKeys[ro]; has {
				return 0, true
			}
		}
	}
	o.cleanupCommittedTransactions()

	ts := o.nextTxnTs
	o.nextTxnTs++
	o.txnMark.Begin(ts)
	keys := make(map[string]struct{})
	for k := range txn.writes {
		keys[k] = struct{}{}
	}
	o.committedTxns = append(o.committedTxns, committedTxn{ts, keys})
	return ts, false
}

func (o *oracle) cleanupCommittedTransactions() { // Must be called under o.Lock
	maxReadTs := o.readMark.DoneUntil()
	tmp := o.committedTxns[:0]
	for _, txn := range o.committedTxns {
		if txn.ts > maxReadTs {
			tmp = append(tmp, txn)
		}
	}
	o.committedTxns = tmp
}

type request struct {
	ts     uint64
	writes map[string][]byte
	done   chan struct{}
}

// DB applies the commits in the order of their timestamps.
type DB struct {
	orc     *oracle
	writeCh chan *request
}

// Open starts the writer.
func Open(write func(ts uint64, writes map[string][]byte)) *DB {
	db := &DB{
		orc:     &oracle{nextTxnTs: 2, txnMark: newWaterMark(1), readMark: newWaterMark(1)},
		writeCh: make(chan *request, 100),
	}
	go func() {
		for r := range db.writeCh {
			write(r.ts, r.writes)
			db.orc.txnMark.Done(r.ts)
			close(r.done)
		}
	}()
	return db
}

// Txn is a transaction, of one goroutine.
type Txn struct {
	db     *DB
	readTs uint64
	reads  []string
	writes map[string][]byte
}

// NewTransaction sees everything that was committed before.
func (db *DB) NewTransaction(ctx context.Context) (*Txn, error) {
	readTs, err := db.orc.readTs(ctx)
	if err != nil {
		return nil, err
	}
	return &Txn{db: db, readTs: readTs, writes: make(map[string][]byte)}, nil
}

// Commit ends the transaction. It reports false if there was a conflict.
func (txn *Txn) Commit() bool {
	orc := txn.db.orc
	defer orc.readMark.Done(txn.readTs)
	orc.writeChLock.Lock()
	ts, conflict := orc.newCommitTs(txn)
	if conflict {
		orc.writeChLock.Unlock()
		return false
	}
	r := &request{ts: ts, writes: txn.writes, done: make(chan struct{})}
	txn.db.writeCh <- r
	orc.writeChLock.Unlock()
	<-r.done
	return true
}
