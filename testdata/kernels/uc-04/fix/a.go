package a

import (
	"maps"
	"sync/atomic"
)

// Settings is one immutable version of the configuration.
type Settings struct {
	Version int
	Values  map[string]string
}

// Store holds the configuration that is in force. Readers take it without a
// lock; the file reloader and the admin API both change it.
type Store struct {
	cur atomic.Pointer[Settings]
}

// NewStore makes a store with the values from the command line.
func NewStore(initial map[string]string) *Store {
	s := &Store{}
	s.cur.Store(&Settings{Version: 1, Values: maps.Clone(initial)})
	return s
}

// Current returns the version in force.
func (s *Store) Current() *Settings { return s.cur.Load() }

// Get returns one value of the version in force.
func (s *Store) Get(key string) (string, bool) {
	v, ok := s.cur.Load().Values[key]
	return v, ok
}

// update derives a new version from the one in force.
func (s *Store) update(derive func(base *Settings) *Settings) *Settings {
	for {
		base := s.cur.Load()
		next := derive(base)
		if s.cur.CompareAndSwap(base, next) {
			return next
		}
	}
}

// Reload merges the values of a file that changed on disk.
func (s *Store) Reload(file map[string]string) int {
	next := s.update(func(base *Settings) *Settings {
		values := make(map[string]string, len(base.Values)+len(file))
		maps.Copy(values, base.Values)
		maps.Copy(values, file)
		return &Settings{Version: base.Version + 1, Values: values}
	})
	return next.Version
}

// Draft gathers changes of an operator until they are committed. It belongs
// to one request and is not for concurrent use.
type Draft struct {
	store *Store
	base  *Settings
	set   map[string]string
	unset map[string]bool
}

// Begin opens a draft on top of the version in force.
func (s *Store) Begin() *Draft {
	return &Draft{
		store: s,
		base:  s.cur.Load(),
		set:   make(map[string]string),
		unset: make(map[string]bool),
	}
}

// Get shows a value as the operator sees it.
func (d *Draft) Get(key string) string {
	if v, ok := d.set[key]; ok {
		return v
	}
	if d.unset[key] {
		return ""
	}
	return d.base.Values[key]
}

// Set changes a value.
func (d *Draft) Set(key, value string) {
	delete(d.unset, key)
	d.set[key] = value
}

// Unset removes a value.
func (d *Draft) Unset(key string) {
	delete(d.set, key)
	d.unset[key] = true
}

// apply returns base with the changes of the draft.
func (d *Draft) apply(base *Settings) *Settings {
	values := make(map[string]string, len(base.Values)+len(d.set))
	for k, v := range base.Values {
		if !d.unset[k] {
			values[k] = v
		}
	}
	maps.Copy(values, d.set)
	return &Settings{Version: base.Version + 1, Values: values}
}

// Commit puts the changes in force and returns the new version.
func (d *Draft) Commit() int {
	next := d.store.update(d.apply)
	return next.Version
}
