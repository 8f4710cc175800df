package badger

import (
	"context"
	"sync"
)

// WaterMark is used to keep track of the minimum un-finished index.
type WaterMark struct {
	mu        sync.Mutex
	doneUntil uint64
	pending   map[uint64]int
	order     []uint64
	waiters   map[uint64][]chan struct{}
}

func newWaterMark() *WaterMark {
	return &WaterMark{pending: make(map[uint64]int), waiters: make(map[uint64][]chan struct{})}
}

// Begin sets the last index to the given value.
func (w *WaterMark) Begin(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[index] == 0 {
		i := len(w.order)
		for i > 0 && w.order[i-1] > index {
			i--
		}
		w.order = append(w.order[:i], append([]uint64{index}, w.order[i:]...)...)
	}
	w.pending[index]++
}

// Done sets a single index as done.
func (w *WaterMark) Done(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[index]--
	until := w.doneUntil
	for len(w.order) > 0 && w.pending[w.order[0]] <= 0 {
		delete(w.pending, w.order[0])
		until = max(until, w.order[0])
		w.order = w.order[1:]
	}
	w.doneUntil = until
	for idx, chs := range w.waiters {
		if idx <= until {
			for _, ch := range chs {
				close(ch)
			}
			delete(w.waiters, idx)
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
	w.mu.Lock()
	if w.doneUntil >= index {
		w.mu.Unlock()
		return nil
	}
	ch := make(chan struct{})
	w.waiters[index] = append(w.waiters[index], ch)
	w.mu.Unlock()

	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ch:
		return nil
	}
}

type oracle struct {
	sync.Mutex // For nextTxnTs and commits.
	// writeChLock lock is for ensuring that transactions go to the write
	// channel in the same order as their commit timestamps.
	writeChLock sync.Mutex
	nextTxnTs   uint64

	// Used to block NewTransaction, so all previous commits are visible to a new read.
	txnMark *WaterMark

	// Used to determine which versions can be permanently discarded during compaction.
	readMark *WaterMark

	// commits stores a key fingerprint and latest commit counter for it.
	commits map[string]uint64
}

func newOracle() *oracle {
	return &oracle{
		nextTxnTs: 1,
		txnMark:   newWaterMark(),
		readMark:  newWaterMark(),
		commits:   make(map[string]uint64),
	}
}

func (o *oracle) readTs(ctx context.Context) (uint64, error) {
	var readTs uint64
	o.Lock()
	readTs = o.nextTxnTs - 1
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

func (o *oracle) discardAtOrBelow() uint64 {
	return o.readMark.DoneUntil()
}

func (o *oracle) newCommitTs(txn *Txn) (uint64, bool) {
	o.Lock()
	defer o.Unlock()

	for _, k := range txn.reads {
		if o.commits[k] > txn.readTs {
			return 0, true
		}
	}
	ts := o.nextTxnTs
	o.nextTxnTs++
	o.txnMark.Begin(ts)
	for k := range txn.pendingWrites {
		o.commits[k] = ts
	}
	return ts, false
}

type writeRequest struct {
	ts   uint64
	kvs  map[string]string
	done chan struct{}
}

type DB struct {
	orc     *oracle
	writeCh chan writeRequest

	mu sync.RWMutex
	mt map[string]map[uint64]string // key -> version -> value
}

// doWrites is the one write routine.
func (db *DB) doWrites() {
	for req := range db.writeCh {
		db.mu.Lock()
		for k, v := range req.kvs {
			if db.mt[k] == nil {
				db.mt[k] = make(map[uint64]string)
			}
			db.mt[k][req.ts] = v
		}
		db.mu.Unlock()
		db.orc.txnMark.Done(req.ts)
		close(req.done)
	}
}

// Txn represents a Badger transaction. It is used by one goroutine.
type Txn struct {
	readTs        uint64
	db            *DB
	reads         []string
	pendingWrites map[string]string
}

func (db *DB) NewTransaction(ctx context.Context) (*Txn, error) {
	ts, err := db.orc.readTs(ctx)
	if err != nil {
		return nil, err
	}
	return &Txn{readTs: ts, db: db, pendingWrites: make(map[string]string)}, nil
}

func (txn *Txn) Get(key string) (string, bool) {
	txn.reads = append(txn.reads, key)
	txn.db.mu.RLock()
	defer txn.db.mu.RUnlock()
	var best uint64
	var val string
	for ts, v := range txn.db.mt[key] {
		if ts <= txn.readTs && ts >= best {
			best, val = ts, v
		}
	}
	return val, best > 0
}

func (txn *Txn) Set(key, val string) {
	txn.pendingWrites[key] = val
}

// Commit commits the transaction; it returns false if there was a conflict.
func (txn *Txn) Commit() bool {
	orc := txn.db.orc
	defer orc.readMark.Done(txn.readTs)

	orc.writeChLock.Lock()
	commitTs, conflict := orc.newCommitTs(txn)
	if conflict {
		orc.writeChLock.Unlock()
		return false
	}
	req := writeRequest{ts: commitTs, kvs: txn.pendingWrites, done: make(chan struct{})}
	txn.db.writeCh <- req
	orc.writeChLock.Unlock()

	<-req.done
	return true
}
