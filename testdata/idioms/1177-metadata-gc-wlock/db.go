package metadata

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// node is an object of the database which can be collected.
type node struct {
	Namespace, Key string
}

// boltDB is a database with transactions; views and updates are atomic by themselves.
type boltDB struct {
	mu    sync.RWMutex
	nodes map[node][]node // references
	roots map[node]bool
}

// Tx is a transaction.
type Tx struct{ db *boltDB }

func (b *boltDB) View(fn func(*Tx) error) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return fn(&Tx{b})
}

func (b *boltDB) Update(fn func(*Tx) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fn(&Tx{b})
}

// DB represents a metadata database backed by a bolt
// database. The database is fully namespaced and stores
// image, container, namespace, snapshot, and content data
// while proxying data shared across namespaces to backend
// datastores for content and snapshots.
type DB struct {
	db *boltDB

	// wlock is used to protect access to the data structures during garbage
	// collection. While the wlock is held no writable transactions can be
	// opened, preventing changes from occurring between the mark and
	// sweep phases without preventing read transactions.
	wlock sync.RWMutex

	// dirty flag indicates that references have been removed which require
	// a garbage collection to ensure the database is clean.
	dirty atomic.Uint32

	// mutationCallbacks are called after each mutation with the flag
	// set indicating whether any dirty flags are set
	mutationCallbacks []func(bool)
}

// NewDB creates a new metadata database
func NewDB() *DB {
	return &DB{db: &boltDB{nodes: make(map[node][]node), roots: make(map[node]bool)}}
}

// View runs a readonly transaction on the metadata store.
func (m *DB) View(fn func(*Tx) error) error {
	return m.db.View(fn)
}

// Update runs a writable transaction on the metadata store.
func (m *DB) Update(fn func(*Tx) error) error {
	m.wlock.RLock()
	defer m.wlock.RUnlock()
	err := m.db.Update(fn)
	if err == nil {
		dirty := m.dirty.Load() > 0
		for _, fn := range m.mutationCallbacks {
			fn(dirty)
		}
	}

	return err
}

// RegisterMutationCallback registers a function to be called after a metadata
// mutations has been performed.
func (m *DB) RegisterMutationCallback(fn func(bool)) {
	m.wlock.Lock()
	m.mutationCallbacks = append(m.mutationCallbacks, fn)
	m.wlock.Unlock()
}

// Create adds an object with its references.
func (m *DB) Create(n node, root bool, refs ...node) error {
	return m.Update(func(tx *Tx) error {
		if _, ok := tx.db.nodes[n]; ok {
			return errors.New("already exists")
		}
		tx.db.nodes[n] = refs
		tx.db.roots[n] = root
		return nil
	})
}

// Release makes an object collectable.
func (m *DB) Release(n node) error {
	return m.Update(func(tx *Tx) error {
		tx.db.roots[n] = false
		m.dirty.Add(1)
		return nil
	})
}

// GarbageCollect removes resources (snapshots, contents, ...) that are no longer used.
func (m *DB) GarbageCollect(ctx context.Context) (time.Duration, error) {
	m.wlock.Lock()
	defer m.wlock.Unlock()
	t1 := time.Now()

	marked, err := m.getMarked(ctx)
	if err != nil {
		return 0, err
	}

	if err := m.db.Update(func(tx *Tx) error {
		for n := range tx.db.nodes {
			if _, ok := marked[n]; ok {
				continue
			}
			delete(tx.db.nodes, n)
			delete(tx.db.roots, n)
		}
		return nil
	}); err != nil {
		return 0, err
	}

	m.dirty.Store(0)
	return time.Since(t1), nil
}

// getMarked returns all resources that are used.
func (m *DB) getMarked(ctx context.Context) (map[node]struct{}, error) {
	marked := make(map[node]struct{})
	if err := m.db.View(func(tx *Tx) error {
		var mark func(n node)
		mark = func(n node) {
			if _, ok := marked[n]; ok {
				return
			}
			marked[n] = struct{}{}
			for _, r := range tx.db.nodes[n] {
				mark(r)
			}
		}
		for n, root := range tx.db.roots {
			if root {
				mark(n)
			}
		}
		return ctx.Err()
	}); err != nil {
		return nil, err
	}
	return marked, nil
}
