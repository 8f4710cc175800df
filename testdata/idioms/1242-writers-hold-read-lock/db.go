package metadata

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Tx is a transaction of the key value store.
type Tx interface {
	Leases() []string
	Roots() map[string][]string
	Remove(node string) error
	ForEach(fn func(node string) error) error
}

// KV is a transactional store, which serialises its write transactions.
type KV interface {
	View(fn func(Tx) error) error
	Update(fn func(Tx) error) error
}

// DB represents a metadata database backed by a bolt
// database.
type DB struct {
	db      KV
	cleanup func(name string) error

	// wlock is used to protect access to the data structures during garbage
	// collection. While the wlock is held no writable transactions can be
	// opened, preventing changes from occurring between the mark and
	// sweep phases without preventing read transactions.
	wlock sync.RWMutex

	// dirty flag indicates that references have been removed which require
	// a garbage collection to ensure the database is clean. This tracks
	// the number of dirty operations. This should be updated and read
	// atomically if outside of wlock.Lock.
	dirty atomic.Uint32

	// dirtySS keeps track of datastores which have had deletions since the
	// last garbage collection. These datastores will be garbage collected
	// during the next garbage collection. This should only be updated inside
	// of a write transaction or wlock.Lock.
	dirtySS map[string]struct{}
}

func NewDB(db KV, cleanup func(name string) error) *DB {
	return &DB{db: db, cleanup: cleanup, dirtySS: make(map[string]struct{})}
}

// View runs a readonly transaction on the metadata store.
func (m *DB) View(fn func(Tx) error) error {
	return m.db.View(fn)
}

// Update runs a writable transaction on the metadata store.
func (m *DB) Update(fn func(Tx) error) error {
	m.wlock.RLock()
	defer m.wlock.RUnlock()
	return m.db.Update(fn)
}

// RemoveSnapshot removes a snapshot; its data is taken away by the next collection.
func (m *DB) RemoveSnapshot(ctx context.Context, snapshotter, key string) error {
	return m.Update(func(tx Tx) error {
		if err := tx.Remove(snapshotter + "/" + key); err != nil {
			return err
		}
		m.dirty.Add(1)
		m.dirtySS[snapshotter] = struct{}{}
		return nil
	})
}

// NeedsCollect tells the scheduler whether there is something to do.
func (m *DB) NeedsCollect() bool {
	return m.dirty.Load() > 0
}

// GarbageCollect removes resources (snapshots, contents, ...) that are no longer used.
func (m *DB) GarbageCollect(ctx context.Context) (time.Duration, error) {
	m.wlock.Lock()
	t1 := time.Now()

	marked, err := m.getMarked(ctx)
	if err != nil {
		m.wlock.Unlock()
		return 0, err
	}

	if err := m.db.Update(func(tx Tx) error {
		return tx.ForEach(func(node string) error {
			if _, ok := marked[node]; ok {
				return nil
			}
			return tx.Remove(node)
		})
	}); err != nil {
		m.wlock.Unlock()
		return 0, err
	}

	// reset dirty, no need for atomic inside of wlock.Lock
	m.dirty.Store(0)

	names := m.dirtySS
	m.dirtySS = make(map[string]struct{})
	m.wlock.Unlock()

	for name := range names {
		if err := m.cleanup(name); err != nil {
			return 0, err
		}
	}
	return time.Since(t1), nil
}

// getMarked returns all resources that are used.
func (m *DB) getMarked(ctx context.Context) (map[string]struct{}, error) {
	marked := make(map[string]struct{})
	err := m.db.View(func(tx Tx) error {
		roots := tx.Roots()
		for _, l := range tx.Leases() {
			for _, n := range roots[l] {
				marked[n] = struct{}{}
			}
		}
		return ctx.Err()
	})
	return marked, err
}
