// Package fix is a store with optimistic transactions.
package fix

import (
	"errors"
	"hash/fnv"
	"sort"
	"sync"
)

// ErrConflict is returned by Commit when something that was read has changed.
var ErrConflict = errors.New("transaction conflict, please retry")

// ErrNotFound is returned for a key that does not exist.
var ErrNotFound = errors.New("key not found")

type version struct {
	ts    uint64
	value string
}

// DB holds the versions of all keys, the newest last.
type DB struct {
	mu   sync.RWMutex
	keys map[string][]version
	orc  *arbiter
}

// Open returns an empty store.
func Open() *DB {
	return &DB{keys: make(map[string][]version), orc: &arbiter{nextTs: 1, commits: make(map[uint64]uint64)}}
}

func (db *DB) get(key string, ts uint64) (string, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return visible(db.keys[key], ts)
}

func visible(vs []version, ts uint64) (string, bool) {
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].ts <= ts {
			return vs[i].value, true
		}
	}
	return "", false
}

func (db *DB) scan(ts uint64) []Item {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var items []Item
	for k, vs := range db.keys {
		if v, ok := visible(vs, ts); ok {
			items = append(items, Item{k, v})
		}
	}
	sort.Slice(items, func(i, j int) bool { return items[i].Key < items[j].Key })
	return items
}

func (db *DB) put(writes map[string]string, ts uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for k, v := range writes {
		db.keys[k] = append(db.keys[k], version{ts, v})
	}
}

// arbiter hands out timestamps and finds conflicts.
type arbiter struct {
	mu      sync.Mutex
	nextTs  uint64
	commits map[uint64]uint64
}

func (o *arbiter) startTs() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.nextTs - 1
}

func (o *arbiter) stale(txn *Txn) bool {
	for _, ro := range txn.reads {
		if ts, has := o.commits[ro]; has && ts > txn.startTs {
			return true
		}
	}
	return false
}

func (o *arbiter) commit(txn *Txn) (uint64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stale(txn) {
		return 0, false
	}
	ts := o.nextTs
	for k := range txn.writes {
		o.commits[hashKey(k)] = ts
	}
	txn.db.put(txn.writes, ts)
	o.nextTs++
	return ts, true
}

func hashKey(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}

// Txn is a transaction; it belongs to one goroutine.
type Txn struct {
	db      *DB
	startTs uint64
	update  bool
	reads   []uint64
	writes  map[string]string
}

// NewTransaction starts a transaction.
func (db *DB) NewTransaction(update bool) *Txn {
	txn := &Txn{db: db, startTs: db.orc.startTs(), update: update}
	if update {
		txn.writes = make(map[string]string)
	}
	return txn
}

func (txn *Txn) noteRead(key string) {
	if txn.update {
		txn.reads = append(txn.reads, hashKey(key))
	}
}

// Get returns the value of a key.
func (txn *Txn) Get(key string) (string, error) {
	if v, ok := txn.writes[key]; ok {
		return v, nil
	}
	txn.noteRead(key)
	v, ok := txn.db.get(key, txn.startTs)
	if !ok {
		return "", ErrNotFound
	}
	return v, nil
}

// Set writes a value.
func (txn *Txn) Set(key, value string) { txn.writes[key] = value }

// Commit makes the writes visible.
func (txn *Txn) Commit() error {
	if len(txn.writes) == 0 {
		return nil
	}
	if _, ok := txn.db.orc.commit(txn); !ok {
		return ErrConflict
	}
	return nil
}

// Item is a key with its value.
type Item struct{ Key, Value string }

// Iterator walks over the keys in order.
type Iterator struct {
	txn   *Txn
	items []Item
	pos   int
}

// NewIterator returns an iterator over the committed keys.
func (txn *Txn) NewIterator() *Iterator {
	return &Iterator{txn: txn, items: txn.db.scan(txn.startTs)}
}

// Seek moves to the first key that is not before the given one.
func (it *Iterator) Seek(key string) {
	if len(key) > 0 {
		it.txn.noteRead(key)
	}
	it.pos = sort.Search(len(it.items), func(i int) bool { return it.items[i].Key >= key })
}

// Valid reports whether there is an item.
func (it *Iterator) Valid() bool { return it.pos < len(it.items) }

// Next moves on.
func (it *Iterator) Next() { it.pos++ }

// Item returns the current item.
func (it *Iterator) Item() Item {
	item := it.items[it.pos]
	it.txn.noteRead(item.Key)
	return item
}

// Register stores a name once; any number of goroutines may call it.
func (db *DB) Register(name, owner string) (bool, error) {
	for {
		txn := db.NewTransaction(true)
		it := txn.NewIterator()
		it.Seek(name)
		if it.Valid() && it.Item().Key == name {
			return false, nil
		}
		txn.Set(name, owner)
		if err := txn.Commit(); err == nil {
			return true, nil
		} else if err != ErrConflict {
			return false, err
		}
	}
}
