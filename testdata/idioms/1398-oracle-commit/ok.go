package badger

import (
	"errors"
	"sync"
)

var errConflict = errors.New("transaction conflict, please retry")

type version struct {
	ts    uint64
	value string
}

type oracle struct {
	sync.Mutex
	nextTxnTs uint64
	commits   map[string]uint64
}

func (o *oracle) readTs() uint64 {
	o.Lock()
	defer o.Unlock()
	return o.nextTxnTs - 1
}

// hasConflict must be called while having a lock.
func (o *oracle) hasConflict(txn *Txn) bool {
	for key := range txn.reads {
		if o.commits[key] > txn.readTs {
			return true
		}
	}
	return false
}

// DB keeps all the versions of its keys.
type DB struct {
	orc *oracle

	mu   sync.RWMutex
	data map[string][]version
}

func Open() *DB {
	return &DB{
		orc:  &oracle{nextTxnTs: 1, commits: make(map[string]uint64)},
		data: make(map[string][]version),
	}
}

type Txn struct {
	db     *DB
	readTs uint64
	reads  map[string]struct{}
	writes map[string]string
}

func (db *DB) NewTransaction() *Txn {
	return &Txn{
		db:     db,
		readTs: db.orc.readTs(),
		reads:  make(map[string]struct{}),
		writes: make(map[string]string),
	}
}

func (txn *Txn) Get(key string) (string, bool) {
	if v, ok := txn.writes[key]; ok {
		return v, true
	}
	txn.reads[key] = struct{}{}
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

func (txn *Txn) Set(key, value string) { txn.writes[key] = value }

func (txn *Txn) Commit() error {
	o := txn.db.orc
	o.Lock()
	defer o.Unlock()
	if o.hasConflict(txn) {
		return errConflict
	}
	ts := o.nextTxnTs
	o.nextTxnTs++
	txn.db.mu.Lock()
	for key, value := range txn.writes {
		o.commits[key] = ts
		txn.db.data[key] = append(txn.db.data[key], version{ts, value})
	}
	txn.db.mu.Unlock()
	return nil
}

// Add changes a counter-like key by f, retrying on conflicts.
func (db *DB) Add(key string, f func(string) string) error {
	for i := 0; i < 100; i++ {
		txn := db.NewTransaction()
		old, _ := txn.Get(key)
		txn.Set(key, f(old))
		if err := txn.Commit(); !errors.Is(err, errConflict) {
			return err
		}
	}
	return errConflict
}
