// Package ok merges overlapping tables of a level in the background.
package ok

import (
	"slices"
	"sync"
)

// Table is an immutable run of keys.
type Table struct {
	ID          uint64
	Left, Right string
	Size        int64
}

type keyRange struct{ left, right string }

func (r keyRange) overlaps(o keyRange) bool {
	return r.left <= o.right && o.left <= r.right
}

// status holds the ranges that compactions are working on.
type status struct {
	mu     sync.Mutex
	ranges []keyRange
}

// compareAndAdd claims a range unless it overlaps a claimed one.
func (s *status) compareAndAdd(r keyRange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.ranges, r.overlaps) {
		return false
	}
	s.ranges = append(s.ranges, r)
	return true
}

func (s *status) overlapsWith(r keyRange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.ranges, r.overlaps)
}

func (s *status) remove(r keyRange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.ranges, r); i >= 0 {
		s.ranges = slices.Delete(s.ranges, i, i+1)
	}
}

// Level is a set of tables.
type Level struct {
	cstatus status
	merge   func([]*Table) *Table // the result covers exactly its input

	mu     sync.RWMutex
	tables []*Table
}

// NewLevel returns an empty level.
func NewLevel(merge func([]*Table) *Table) *Level { return &Level{merge: merge} }

// Add adds a table.
func (l *Level) Add(t *Table) {
	l.mu.Lock()
	l.tables = append(l.tables, t)
	l.mu.Unlock()
}

// within returns the tables inside of a range.
func (l *Level) within(r keyRange) (ts []*Table) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range l.tables {
		if r.left <= t.Left && t.Right <= r.right {
			ts = append(ts, t)
		}
	}
	return ts
}

// Compact merges the tables inside [left, right] into one. It returns false if
// there is nothing to merge or somebody else works there. Any goroutine may call it.
func (l *Level) Compact(left, right string) bool {
	r := keyRange{left, right}
	if l.cstatus.overlapsWith(r) || len(l.within(r)) < 2 {
		return false
	}
	if !l.cstatus.compareAndAdd(r) {
		return false
	}
	defer l.cstatus.remove(r)

	top := l.within(r)
	if len(top) < 2 {
		return false
	}
	merged := l.merge(top)

	l.mu.Lock()
	defer l.mu.Unlock()
	l.tables = slices.DeleteFunc(l.tables, func(t *Table) bool { return slices.Contains(top, t) })
	l.tables = append(l.tables, merged)
	return true
}

// Size returns the size of all tables.
func (l *Level) Size() (n int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range l.tables {
		n += t.Size
	}
	return n
}
