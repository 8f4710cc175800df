package a

import (
	"maps"
	"sync/atomic"
)

type flags struct {
	rev    uint64
	values map[string]bool
}

// Set holds feature flags. Reads are lock free; writes copy.
type Set struct {
	cur     atomic.Pointer[flags]
	changed chan struct{}
}

func NewSet(initial map[string]bool) *Set {
	s := &Set{changed: make(chan struct{}, 1)}
	s.cur.Store(&flags{values: maps.Clone(initial)})
	return s
}

// Enabled reports whether a flag is on.
func (s *Set) Enabled(name string) bool { return s.cur.Load().values[name] }

// Snapshot returns all flags with their revision.
func (s *Set) Snapshot() (map[string]bool, uint64) {
	f := s.cur.Load()
	return maps.Clone(f.values), f.rev
}

func (s *Set) change(edit func(map[string]bool) bool) bool {
	for {
		old := s.cur.Load()
		next := &flags{rev: old.rev + 1, values: maps.Clone(old.values)}
		if next.values == nil {
			next.values = make(map[string]bool)
		}
		if !edit(next.values) {
			return false
		}
		if s.cur.CompareAndSwap(old, next) {
			s.wake()
			return true
		}
	}
}

// wake leaves one token; whoever takes it reads the newest flags.
func (s *Set) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Changed gets a token after changes; several changes may share one.
func (s *Set) Changed() <-chan struct{} { return s.changed }

// Put sets a flag and reports whether that changed anything.
func (s *Set) Put(name string, on bool) bool {
	if v, ok := s.cur.Load().values[name]; ok && v == on {
		return false
	}
	return s.change(func(m map[string]bool) bool {
		if v, ok := m[name]; ok && v == on {
			return false
		}
		m[name] = on
		return true
	})
}

// Toggle flips a flag and returns its new value.
func (s *Set) Toggle(name string) (on bool) {
	s.change(func(m map[string]bool) bool {
		on = !m[name]
		m[name] = on
		return true
	})
	return on
}

// Drop removes a flag.
func (s *Set) Drop(name string) bool {
	return s.change(func(m map[string]bool) bool {
		_, ok := m[name]
		delete(m, name)
		return ok
	})
}
