// Package fix is a multi-version key-value store with asynchronous commits.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrConflict is returned when a transaction conflicts with another one.
var ErrConflict = errors.New("transaction conflict. Please retry")

type oracle struct {
	curRead atomic.Uint64

	sync.Mutex
	nextCommit uint64

	// The minimum done commit is used to update curRead.
	commitMark     []uint64
	pendingCommits map[uint64]struct{}

	// commits stores a key and latest commit counter for it.
	commits map[string]uint64
}

func (o *oracle) readTs() uint64 { return o.curRead.Load() }

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
	ts := o.nextCommit
	o.nextCommit++
	for w := range txn.pendingWrites {
		o.commits[w] = ts // Update the commitTs.
	}
	o.commitMark = append(o.commitMark, ts)
	o.pendingCommits[ts] = struct{}{}
	return ts
}

func (o *oracle) doneCommit(cts uint64) {
	o.Lock()
	defer o.Unlock()

	delete(o.pendingCommits, cts)
	var done uint64
	for len(o.commitMark) > 0 {
		ts := o.commitMark[0]
		if _, has := o.pendingCommits[ts]; has {
			// Still waiting for a txn to commit.
			break
		}
		done = ts
		o.commitMark = o.commitMark[1:]
	}
	if done == 0 {
		return
	}
	o.curRead.Store(done)
}

type entry struct {
	key   string
	value string
	ts    uint64
}

type request struct {
	entries []entry
	done    func(error)
}

// DB is the store.
type DB struct {
	orc     *oracle
	writeCh chan *request

	mu    sync.RWMutex
	table map[string][]entry // oldest first
}

// Open returns an empty store.
func Open() *DB {
	db := &DB{
		orc: &oracle{
			nextCommit:     1,
			pendingCommits: make(map[uint64]struct{}),
			commits:        make(map[string]uint64),
		},
		writeCh: make(chan *request, 1000),
		table:   make(map[string][]entry),
	}
	go db.doWrites()
	return db
}

// doWrites is the only goroutine that changes the table.
func (db *DB) doWrites() {
	for r := range db.writeCh {
		db.mu.Lock()
		for _, e := range r.entries {
			db.table[e.key] = append(db.table[e.key], e)
		}
		db.mu.Unlock()
		r.done(nil)
	}
}

func (db *DB) get(key string, ts uint64) string {
	db.mu.RLock()
	defer db.mu.RUnlock()
	es := db.table[key]
	for i := len(es) - 1; i >= 0; i-- {
		if es[i].ts <= ts {
			return es[i].value
		}
	}
	return ""
}

func (db *DB) batchSet(entries []entry) error {
	errCh := make(chan error, 1)
	db.writeCh <- &request{entries, func(err error) { errCh <- err }}
	return <-errCh
}

func (db *DB) batchSetAsync(entries []entry, f func(error)) error {
	db.writeCh <- &request{entries, f}
	return nil
}

// Txn represents a transaction, used by one goroutine.
type Txn struct {
	readTs        uint64
	reads         []string
	pendingWrites map[string]string
	db            *DB
}

// NewTransaction starts a transaction.
func (db *DB) NewTransaction() *Txn {
	return &Txn{readTs: db.orc.readTs(), pendingWrites: make(map[string]string), db: db}
}

// Get reads a key.
func (txn *Txn) Get(key string) string {
	if v, ok := txn.pendingWrites[key]; ok {
		return v
	}
	txn.reads = append(txn.reads, key)
	return txn.db.get(key, txn.readTs)
}

// Set buffers a write.
func (txn *Txn) Set(key, value string) { txn.pendingWrites[key] = value }

// Commit commits the transaction. If a callback is given, Commit returns at
// once and the callback is called when the writes are done.
func (txn *Txn) Commit(callback func(error)) error {
	if len(txn.pendingWrites) == 0 {
		return nil // Nothing to do.
	}

	state := txn.db.orc
	commitTs := state.newCommitTs(txn)
	if commitTs == 0 {
		return ErrConflict
	}

	entries := make([]entry, 0, len(txn.pendingWrites))
	for k, v := range txn.pendingWrites {
		entries = append(entries, entry{key: k, value: v, ts: commitTs})
	}

	if callback == nil {
		defer state.doneCommit(commitTs)
		return txn.db.batchSet(entries)
	}
	return txn.db.batchSetAsync(entries, func(err error) {
		state.doneCommit(commitTs)
		callback(err)
	})
}
