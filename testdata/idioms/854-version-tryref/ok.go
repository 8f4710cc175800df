// Package manifest tracks which sorted tables make up the store. Reads run on
// a version of the table list; tables that no version needs are closed.
package manifest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned once the store is closed.
var ErrClosed = errors.New("manifest: closed")

// File is an open table file.
type File interface {
	Get(key []byte) (value []byte, ok bool, err error)
	Close() error
}

// Table is a file that is shared by the versions that list it.
type Table struct {
	Level int
	file  File
	refs  atomic.Int32 // versions that list the table
}

// NewTable returns a table that no version lists yet.
func NewTable(level int, f File) *Table { return &Table{Level: level, file: f} }

func (t *Table) release() {
	if t.refs.Add(-1) == 0 {
		t.file.Close()
	}
}

// version is an immutable list of tables, newest first. It counts its readers
// plus one while it is current.
type version struct {
	tables []*Table
	refs   atomic.Int32
}

// tryRef takes a reference unless the version is already dead.
func (v *version) tryRef() bool {
	for {
		n := v.refs.Load()
		if n == 0 {
			return false
		}
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (v *version) release() {
	if v.refs.Add(-1) == 0 {
		for _, t := range v.tables {
			t.release()
		}
	}
}

// Set is the current version and its history. It is safe for concurrent use.
type Set struct {
	edit    sync.Mutex // serializes Apply and Close
	current atomic.Pointer[version]
}

// NewSet returns a set without tables.
func NewSet() *Set {
	s := &Set{}
	v := &version{}
	v.refs.Store(1)
	s.current.Store(v)
	return s
}

// acquire returns the current version with a reference for the caller, or nil
// when the set is closed.
func (s *Set) acquire() *version {
	for {
		v := s.current.Load()
		if v == nil || v.tryRef() {
			return v
		}
	}
}

// Get looks key up in the tables of the current version.
func (s *Set) Get(key []byte) ([]byte, bool, error) {
	v := s.acquire()
	if v == nil {
		return nil, false, ErrClosed
	}
	defer v.release()
	for _, t := range v.tables {
		value, ok, err := t.file.Get(key)
		if ok || err != nil {
			return value, ok, err
		}
	}
	return nil, false, nil
}

// Apply makes a version without the removed and with the added tables in
// front, and makes it current. The added tables belong to the set from then
// on.
func (s *Set) Apply(added, removed []*Table) error {
	s.edit.Lock()
	defer s.edit.Unlock()
	old := s.current.Load()
	if old == nil {
		return ErrClosed
	}
	next := &version{tables: slices.Clone(added)}
	for _, t := range old.tables {
		if !slices.Contains(removed, t) {
			next.tables = append(next.tables, t)
		}
	}
	for _, t := range next.tables {
		t.refs.Add(1)
	}
	next.refs.Store(1)
	s.current.Store(next)
	old.release()
	return nil
}

// Close ends the set. Files are closed when the last reader is through.
func (s *Set) Close() error {
	s.edit.Lock()
	defer s.edit.Unlock()
	old := s.current.Swap(nil)
	if old == nil {
		return ErrClosed
	}
	old.release()
	return nil
}
