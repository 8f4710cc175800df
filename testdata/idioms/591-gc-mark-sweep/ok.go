// Package ok is a metadata store with garbage collection.
package ok

import (
	"sync"
	"sync/atomic"
)

// Tx gives access to the tables during a transaction.
type Tx struct {
	images  map[string][]string // image -> content it refers to
	content map[string]int64    // content -> size
}

// boltDB runs transactions: one that writes, or many that read.
type boltDB struct {
	mu sync.RWMutex
	tx Tx
}

func (b *boltDB) View(fn func(*Tx)) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	fn(&b.tx)
}

func (b *boltDB) Update(fn func(*Tx)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn(&b.tx)
}

// DB is the store. It is safe for concurrent use.
type DB struct {
	db boltDB

	// wlock is used to protect access to the data structures during garbage
	// collection. While the wlock is held no writable transactions can be
	// opened, preventing changes from occurring between the mark and sweep
	// phases without preventing read transactions.
	wlock sync.RWMutex

	// dirty counts the removals since the last collection.
	dirty atomic.Uint32
}

// NewDB returns an empty store.
func NewDB() *DB {
	return &DB{db: boltDB{tx: Tx{images: make(map[string][]string), content: make(map[string]int64)}}}
}

// Update runs a writable transaction. All changes go through here.
func (m *DB) Update(fn func(*Tx)) {
	m.wlock.RLock()
	defer m.wlock.RUnlock()
	m.db.Update(fn)
}

// PutImage adds an image with its content.
func (m *DB) PutImage(name string, layers map[string]int64) {
	m.Update(func(tx *Tx) {
		var refs []string
		for digest, size := range layers {
			tx.content[digest] = size
			refs = append(refs, digest)
		}
		tx.images[name] = refs
	})
}

// DeleteImage removes an image. The content goes with the next collection.
func (m *DB) DeleteImage(name string) {
	m.Update(func(tx *Tx) { delete(tx.images, name) })
	m.dirty.Add(1)
}

// Size returns the size of all content.
func (m *DB) Size() (size int64) {
	m.db.View(func(tx *Tx) {
		for _, n := range tx.content {
			size += n
		}
	})
	return size
}

// GarbageCollect removes content that no image refers to.
func (m *DB) GarbageCollect() (removed int) {
	if m.dirty.Load() == 0 {
		return 0
	}
	m.wlock.Lock()
	defer m.wlock.Unlock()

	marked := m.getMarked()
	m.db.Update(func(tx *Tx) {
		for digest := range tx.content {
			if !marked[digest] {
				delete(tx.content, digest)
				removed++
			}
		}
	})
	m.dirty.Store(0)
	return removed
}

func (m *DB) getMarked() map[string]bool {
	marked := make(map[string]bool)
	m.db.View(func(tx *Tx) {
		for _, refs := range tx.images {
			for _, digest := range refs {
				marked[digest] = true
			}
		}
	})
	return marked
}
