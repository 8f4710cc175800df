// Package flags evaluates feature flags on the request path.
//
// Evaluation never blocks: the rules are an immutable set behind an atomic
// pointer. Administrators change them through the handlers in admin.go, the
// deployment tool replaces them as a whole through Replace.
package flags

import (
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Rule says for whom a flag is on.
type Rule struct {
	Percent int      `json:"percent"`
	Users   []string `json:"users,omitempty"`
}

// ruleset is never changed once it is published.
type ruleset struct {
	version int
	rules   map[string]Rule
}

// Store holds the rules. The zero value is not usable, see NewStore. A Store
// is safe for concurrent use.
type Store struct {
	cur     atomic.Pointer[ruleset]
	editing sync.Mutex // held from draft to publish
}

// NewStore returns a store with the given rules.
func NewStore(rules map[string]Rule) *Store {
	first := &ruleset{version: 1, rules: make(map[string]Rule)}
	maps.Copy(first.rules, rules)
	s := &Store{}
	s.cur.Store(first)
	return s
}

// Enabled reports whether the flag is on for user.
func (s *Store) Enabled(flag, user string) bool {
	r, ok := s.cur.Load().rules[flag]
	if !ok {
		return false
	}
	return slices.Contains(r.Users, user) || bucket(flag, user) < r.Percent
}

func bucket(flag, user string) int {
	h := fnv.New32a()
	h.Write([]byte(flag))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return int(h.Sum32() % 100)
}

// Version returns the number of the rules in force.
func (s *Store) Version() int { return s.cur.Load().version }

// Rules returns a copy of the rules in force with their version.
func (s *Store) Rules() (map[string]Rule, int) {
	rs := s.cur.Load()
	return maps.Clone(rs.rules), rs.version
}

// Allow switches the flag on for one more user.
func (s *Store) Allow(flag, user string) {
	s.edit(func(rules map[string]Rule) {
		r := rules[flag]
		if slices.Contains(r.Users, user) {
			return
		}
		r.Users = append(slices.Clone(r.Users), user)
		rules[flag] = r
	})
}

// Rollout sets the percentage of users for whom the flag is on.
func (s *Store) Rollout(flag string, percent int) {
	s.edit(func(rules map[string]Rule) {
		r := rules[flag]
		r.Percent = min(max(percent, 0), 100)
		rules[flag] = r
	})
}

// Remove deletes the flag, which switches it off for everybody.
func (s *Store) Remove(flag string) {
	s.edit(func(rules map[string]Rule) { delete(rules, flag) })
}

// Replace installs a whole new set of rules.
func (s *Store) Replace(rules map[string]Rule) {
	s.edit(func(cur map[string]Rule) {
		clear(cur)
		maps.Copy(cur, rules)
	})
}

// edit applies fn to a copy of the rules and puts the copy in force.
func (s *Store) edit(fn func(rules map[string]Rule)) {
	s.editing.Lock()
	defer s.editing.Unlock()
	next := s.draft()
	fn(next.rules)
	s.publish(next)
}

// draft returns a private copy of the rules in force, one version on.
func (s *Store) draft() *ruleset {
	rs := s.cur.Load()
	return &ruleset{version: rs.version + 1, rules: maps.Clone(rs.rules)}
}

// publish puts rs in force.
func (s *Store) publish(rs *ruleset) {
	s.cur.Store(rs)
}
