package mvcc

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrEmptyKey is returned for writes without a key.
var ErrEmptyKey = errors.New("mvcc: empty key")

type version struct {
	ts    uint64
	value []byte
}

// DB is a versioned key value store.
type DB struct {
	orc *oracle

	mu   sync.RWMutex
	keys map[string][]version // oldest first
}

// Open returns a database that compacts itself until ctx is done.
func Open(ctx context.Context, compactEvery time.Duration) *DB {
	db := &DB{orc: newOracle(), keys: make(map[string][]version)}
	go func() {
		t := time.NewTicker(compactEvery)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				db.compactOnce()
			}
		}
	}()
	return db
}

// Write sets all keys of the batch at one timestamp.
func (db *DB) Write(batch map[string][]byte) error {
	if _, bad := batch[""]; bad {
		return ErrEmptyKey
	}
	return db.orc.commit(func(ts uint64) error {
		db.mu.Lock()
		defer db.mu.Unlock()
		for k, v := range batch {
			db.keys[k] = append(db.keys[k], version{ts, v})
		}
		return nil
	})
}

// Txn reads the database as of one timestamp.
type Txn struct {
	db *DB
	ts uint64
}

// Get returns the value of key.
func (t *Txn) Get(key string) ([]byte, bool) {
	t.db.mu.RLock()
	defer t.db.mu.RUnlock()
	vs := t.db.keys[key]
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].ts <= t.ts {
			return vs[i].value, true
		}
	}
	return nil, false
}

// View runs fn with a read transaction.
func (db *DB) View(fn func(*Txn) error) error {
	ts := db.orc.readTs()
	defer db.orc.doneRead(ts)
	return fn(&Txn{db: db, ts: ts})
}

// compactOnce drops versions that no reader can see.
func (db *DB) compactOnce() int {
	limit := db.orc.discardAtOrBelow()
	db.mu.Lock()
	defer db.mu.Unlock()
	dropped := 0
	for k, vs := range db.keys {
		keep := 0
		for i := range vs {
			if vs[i].ts <= limit {
				keep = i
			}
		}
		if keep > 0 {
			db.keys[k] = append([]version(nil), vs[keep:]...)
			dropped += keep
		}
	}
	return dropped
}
