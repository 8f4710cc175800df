// Package ok hands out the timestamps of transactions.
package ok

import (
	"context"
	"sync"
)

// WaterMark tells up to which index everything that has begun is done.
// Indices begin in ascending order.
type WaterMark struct {
	mu      sync.Mutex
	pending map[uint64]int
	last    uint64
	changed chan struct{}
}

func newWaterMark() *WaterMark {
	return &WaterMark{pending: make(map[uint64]int), changed: make(chan struct{})}
}

// Begin announces an index.
func (w *WaterMark) Begin(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[index]++
	w.last = max(w.last, index)
}

// Done ends one use of an index.
func (w *WaterMark) Done(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[index]--; w.pending[index] == 0 {
		delete(w.pending, index)
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *WaterMark) doneUntil() (uint64, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	until := w.last
	for index := range w.pending {
		until = min(until, index-1)
	}
	return until, w.changed
}

// WaitForMark waits until everything up to index is done.
func (w *WaterMark) WaitForMark(ctx context.Context, index uint64) error {
	for {
		until, changed := w.doneUntil()
		if until >= index {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

type committedTxn struct {
	ts   uint64
	keys map[string]struct{}
}

type oracle struct {
	readMark *WaterMark // Used by the clean-up of committed transactions.
	txnMark  *WaterMark // Used to block NewTransaction, so all previous commits are visible to a new read.

	sync.Mutex
	nextTxnTs     uint64
	committedTxns []committedTxn
}

func newOracle() *oracle {
	o := &oracle{readMark: newWaterMark(), txnMark: newWaterMark(), nextTxnTs: 2}
	// Nothing is older than timestamp 1, which is done.
	o.txnMark.Begin(1)
	o.txnMark.Done(1)
	return o
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

// newCommitTs returns false on a conflict.
func (o *oracle) newCommitTs(readTs uint64, reads, writes map[string]struct{}) (uint64, bool) {
	o.Lock()
	defer o.Unlock()

	for _, committed := range o.committedTxns {
		if committed.ts <= readTs {
			continue
		}
		for key := range reads {
			if _, has := committed.keys[key]; has {
				return 0, false
			}
		}
	}

	ts := o.nextTxnTs
	o.nextTxnTs++
	o.txnMark.Begin(ts)
	o.cleanupCommittedTransactions()
	o.committedTxns = append(o.committedTxns, committedTxn{ts, writes})
	return ts, true
}

// cleanupCommittedTransactions drops what no open transaction can conflict
// with. The lock must be held; the caller's own read is still announced.
func (o *oracle) cleanupCommittedTransactions() {
	maxReadTs, _ := o.readMark.doneUntil()
	tmp := o.committedTxns[:0:0]
	for _, txn := range o.committedTxns {
		if txn.ts > maxReadTs {
			tmp = append(tmp, txn)
		}
	}
	o.committedTxns = tmp
}

func (o *oracle) doneCommit(ts uint64) { o.txnMark.Done(ts) }

func (o *oracle) doneRead(ts uint64) { o.readMark.Done(ts) }

// update runs one transaction; install makes the writes visible at ts.
func (o *oracle) update(ctx context.Context, reads, writes map[string]struct{}, install func(ts uint64)) (bool, error) {
	readTs, err := o.readTs(ctx)
	if err != nil {
		return false, err
	}
	defer o.doneRead(readTs)
	ts, ok := o.newCommitTs(readTs, reads, writes)
	if !ok {
		return false, nil
	}
	defer o.doneCommit(ts)
	install(ts)
	return true, nil
}
