// Correct: a transaction remembers the version of everything it has read, and
// commit compares all of them in the section in which it writes. If anything
// has changed in between nothing is written and the function runs again.

// Package ok is a small transactional store with optimistic concurrency.
package ok

import (
	"errors"
	"sync"
)

// ErrConflict is returned after too many tries.
var ErrConflict = errors.New("store: too much contention")

type record struct {
	data    int64
	version uint64 // commit that wrote it
}

// Store is a map with transactions.
type Store struct {
	mu      sync.RWMutex
	records map[string]record
	commits uint64
}

func New() *Store { return &Store{records: make(map[string]record)} }

func (s *Store) read(key string) record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.records[key]
}

// Txn belongs to one goroutine.
type Txn struct {
	s      *Store
	reads  map[string]record
	writes map[string]int64
}

// Get reads a key; a missing one is zero.
func (t *Txn) Get(key string) int64 {
	if v, ok := t.writes[key]; ok {
		return v
	}
	if r, ok := t.reads[key]; ok {
		return r.data
	}
	r := t.s.read(key)
	t.reads[key] = r
	return r.data
}

// Set writes a key when the transaction commits.
func (t *Txn) Set(key string, v int64) { t.writes[key] = v }

func (t *Txn) commit() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for key, r := range t.reads {
		if t.s.records[key].version != r.version {
			return false
		}
	}
	t.s.commits++
	for key, v := range t.writes {
		t.s.records[key] = record{data: v, version: t.s.commits}
	}
	return true
}

// Update runs fn in a transaction. Fn may run several times and must do
// nothing but read and write through its Txn.
func (s *Store) Update(fn func(*Txn) error) error {
	for range 100 {
		t := &Txn{s: s, reads: make(map[string]record), writes: make(map[string]int64)}
		err := fn(t)
		if !t.commitIf(err == nil) {
			continue
		}
		return err
	}
	return ErrConflict
}

// commitIf commits, or, for a failed function, only checks what it has seen.
func (t *Txn) commitIf(ok bool) bool {
	if !ok {
		clear(t.writes)
	}
	return t.commit()
}

var errShort = errors.New("store: not enough")

// Move takes n from one key and adds it to another.
func (s *Store) Move(from, to string, n int64) error {
	return s.Update(func(t *Txn) error {
		have := t.Get(from)
		if have < n {
			return errShort
		}
		t.Set(from, have-n)
		t.Set(to, t.Get(to)+n)
		return nil
	})
}
