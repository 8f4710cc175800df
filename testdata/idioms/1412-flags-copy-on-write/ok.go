// Package flags serves feature flags from an immutable snapshot.
package flags

import (
	"hash/fnv"
	"maps"
	"sync"
	"sync/atomic"
)

type Rule struct {
	Percent uint32
	Allow   map[string]bool
}

type snapshot struct {
	version uint64
	rules   map[string]Rule
}

func (s *snapshot) clone() *snapshot {
	return &snapshot{version: s.version, rules: maps.Clone(s.rules)}
}

type Store struct {
	edit sync.Mutex
	cur  atomic.Pointer[snapshot]
}

func New() *Store {
	s := &Store{}
	s.cur.Store(&snapshot{rules: make(map[string]Rule)})
	return s
}

func (s *Store) mutate(fn func(rules map[string]Rule)) uint64 {
	next := s.cur.Load().clone()
	fn(next.rules)
	next.version++
	s.cur.Store(next)
	return next.version
}

// Set installs one rule.
func (s *Store) Set(name string, r Rule) uint64 {
	s.edit.Lock()
	defer s.edit.Unlock()
	return s.mutate(func(rules map[string]Rule) { rules[name] = r })
}

func (s *Store) Remove(name string) bool {
	s.edit.Lock()
	defer s.edit.Unlock()
	if _, ok := s.cur.Load().rules[name]; !ok {
		return false
	}
	s.mutate(func(rules map[string]Rule) { delete(rules, name) })
	return true
}

// Ramp raises the share of users who see a flag.
func (s *Store) Ramp(name string, step uint32) (uint32, bool) {
	s.edit.Lock()
	defer s.edit.Unlock()
	r, ok := s.cur.Load().rules[name]
	if !ok {
		return 0, false
	}
	r.Percent = min(r.Percent+step, 100)
	s.mutate(func(rules map[string]Rule) { rules[name] = r })
	return r.Percent, true
}

func bucket(name, user string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name + "/" + user))
	return h.Sum32() % 100
}

// Enabled decides from one snapshot.
func (s *Store) Enabled(name, user string) bool {
	snap := s.cur.Load()
	r, ok := snap.rules[name]
	if !ok {
		return false
	}
	return r.Allow[user] || bucket(name, user) < r.Percent
}

func (s *Store) Version() uint64 { return s.cur.Load().version }
