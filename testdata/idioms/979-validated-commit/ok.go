// Package txn is a key-value store with optimistic transactions.
package txn

import (
	"errors"
	"sync"
)

// errConflict makes Update start over.
var errConflict = errors.New("txn: conflict")

type cell struct {
	value   string
	version uint64 // of the commit that wrote it; no two commits share one
}

// Store is safe for concurrent use.
type Store struct {
	mu     sync.RWMutex
	cells  map[string]cell
	commit uint64
}

// New returns an empty store.
func New() *Store { return &Store{cells: make(map[string]cell)} }

func (s *Store) read(key string) cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cells[key]
}

// Tx is one attempt at a transaction, for use by one goroutine.
type Tx struct {
	store  *Store
	reads  map[string]cell
	writes map[string]*string // nil to delete
}

// Get returns the value of a key; a key that is not set is empty.
func (tx *Tx) Get(key string) string {
	if w, ok := tx.writes[key]; ok {
		if w == nil {
			return ""
		}
		return *w
	}
	c, ok := tx.reads[key]
	if !ok {
		c = tx.store.read(key)
		tx.reads[key] = c
	}
	return c.value
}

// Set changes a key when the transaction commits.
func (tx *Tx) Set(key, value string) { tx.writes[key] = &value }

// Delete removes a key when the transaction commits.
func (tx *Tx) Delete(key string) { tx.writes[key] = nil }

// valid reports whether all that tx has read is still so. The caller holds the
// store's lock.
func (tx *Tx) valid() bool {
	for key, c := range tx.reads {
		if tx.store.cells[key].version != c.version {
			return false
		}
	}
	return true
}

func (tx *Tx) commit() error {
	s := tx.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if !tx.valid() {
		return errConflict
	}
	if len(tx.writes) == 0 {
		return nil
	}
	s.commit++
	for key, w := range tx.writes {
		if w == nil {
			delete(s.cells, key)
			continue
		}
		s.cells[key] = cell{value: *w, version: s.commit}
	}
	return nil
}

// Update runs fn in a transaction. fn may be run several times, also on values
// that do not belong together, and must do nothing but use its Tx; only the
// last run counts.
func (s *Store) Update(fn func(tx *Tx) error) error {
	for {
		tx := &Tx{store: s, reads: make(map[string]cell), writes: make(map[string]*string)}
		err := fn(tx)
		if err != nil {
			// What fn complains about has to be true, too.
			clear(tx.writes)
		}
		if c := tx.commit(); errors.Is(c, errConflict) {
			continue
		}
		return err
	}
}

// Rename moves a value to another key unless that is taken.
func (s *Store) Rename(from, to string) (moved bool, err error) {
	err = s.Update(func(tx *Tx) error {
		moved = false
		v := tx.Get(from)
		if v == "" || tx.Get(to) != "" {
			return nil
		}
		tx.Delete(from)
		tx.Set(to, v)
		moved = true
		return nil
	})
	return moved, err
}

// Append adds to the end of a value and returns its new length.
func (s *Store) Append(key, suffix string) (n int, err error) {
	err = s.Update(func(tx *Tx) error {
		v := tx.Get(key) + suffix
		tx.Set(key, v)
		n = len(v)
		return nil
	})
	return n, err
}
