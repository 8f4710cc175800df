// Package lsm keeps the set of immutable sorted tables that make up a
// key-value store and swaps it as flushes and compactions complete.
package lsm

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrNotFound is returned by Get for a key that no table holds.
var ErrNotFound = errors.New("lsm: key not found")

// ErrClosed is returned once the set has been closed.
var ErrClosed = errors.New("lsm: closed")

// block locates one value inside a table file.
type block struct {
	off int64
	len int
}

// Table is one sorted table on disk. Its index is loaded when the table is
// opened and does not change afterwards.
type Table struct {
	Num   uint64
	file  *os.File
	index map[string]block
	refs  atomic.Int32
	// obsolete is called after the file has been closed.
	obsolete func(num uint64)
}

// NewTable wraps an open table file. obsolete is called when no version refers
// to the table any more.
func NewTable(num uint64, f *os.File, keys []string, offs []int64, lens []int, obsolete func(uint64)) (*Table, error) {
	if len(keys) != len(offs) || len(keys) != len(lens) {
		return nil, fmt.Errorf("lsm: table %06d: malformed index", num)
	}
	t := &Table{Num: num, file: f, index: make(map[string]block, len(keys)), obsolete: obsolete}
	for i, k := range keys {
		t.index[k] = block{off: offs[i], len: lens[i]}
	}
	return t, nil
}

func (t *Table) get(key string) ([]byte, bool, error) {
	b, ok := t.index[key]
	if !ok {
		return nil, false, nil
	}
	buf := make([]byte, b.len)
	if _, err := t.file.ReadAt(buf, b.off); err != nil {
		return nil, false, fmt.Errorf("lsm: table %06d: %w", t.Num, err)
	}
	return buf, true, nil
}

func (t *Table) unref() {
	if t.refs.Add(-1) == 0 {
		t.file.Close()
		if t.obsolete != nil {
			t.obsolete(t.Num)
		}
	}
}

// version is an immutable list of tables, newest first. A version holds one
// reference on each of its tables for as long as it is referenced itself.
type version struct {
	tables []*Table
	refs   atomic.Int32
}

// newVersion returns a version with one reference, owned by the caller.
func newVersion(tables []*Table) *version {
	v := &version{tables: tables}
	for _, t := range tables {
		t.refs.Add(1)
	}
	v.refs.Store(1)
	return v
}

func (v *version) ref() { v.refs.Add(1) }

func (v *version) unref() {
	if v.refs.Add(-1) == 0 {
		for _, t := range v.tables {
			t.unref()
		}
	}
}

// Edit describes the outcome of a flush or a compaction.
type Edit struct {
	Added   []*Table
	Removed []uint64
}

// Set holds the current version of the store. It is safe for concurrent use:
// readers call Get and Scan while flushes and compactions call Install.
type Set struct {
	mu  sync.Mutex
	cur *version
}

// Open returns a set that starts out with the given tables.
func Open(tables []*Table) *Set {
	return &Set{cur: newVersion(tables)}
}

// acquire pins the newest version for a reader, who must unref it.
func (s *Set) acquire() (*version, error) {
	s.mu.Lock()
	v := s.cur
	s.mu.Unlock()
	if v == nil {
		return nil, ErrClosed
	}
	v.ref()
	return v, nil
}

// Get returns the newest value stored under key.
func (s *Set) Get(key string) ([]byte, error) {
	v, err := s.acquire()
	if err != nil {
		return nil, err
	}
	defer v.unref()
	for _, t := range v.tables {
		val, ok, err := t.get(key)
		if err != nil {
			return nil, err
		}
		if ok {
			return val, nil
		}
	}
	return nil, ErrNotFound
}

// Scan calls fn for every key in order, with its newest value, until fn
// returns false. Tables stay on disk for the length of the scan.
func (s *Set) Scan(fn func(key string, val []byte) bool) error {
	v, err := s.acquire()
	if err != nil {
		return err
	}
	defer v.unref()
	owner := make(map[string]*Table)
	for _, t := range v.tables {
		for k := range t.index {
			if _, ok := owner[k]; !ok {
				owner[k] = t
			}
		}
	}
	keys := make([]string, 0, len(owner))
	for k := range owner {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		val, _, err := owner[k].get(k)
		if err != nil {
			return err
		}
		if !fn(k, val) {
			return nil
		}
	}
	return nil
}

// Install makes the outcome of a flush or compaction visible. The set takes
// over the added tables if Install succeeds.
func (s *Set) Install(e Edit) error {
	s.mu.Lock()
	old := s.cur
	if old == nil {
		s.mu.Unlock()
		return ErrClosed
	}
	gone := make(map[uint64]bool, len(e.Removed))
	for _, n := range e.Removed {
		gone[n] = true
	}
	tables := append([]*Table(nil), e.Added...)
	for _, t := range old.tables {
		if !gone[t.Num] {
			tables = append(tables, t)
		}
	}
	s.cur = newVersion(tables)
	s.mu.Unlock()
	old.unref()
	return nil
}

// Close drops the current version. Tables are closed when the last reader is
// done with them.
func (s *Set) Close() {
	s.mu.Lock()
	old := s.cur
	s.cur = nil
	s.mu.Unlock()
	if old != nil {
		old.unref()
	}
}
