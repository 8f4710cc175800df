// Correct: the routes are compiled outside the lock from a snapshot that carries
// the version it was made of; install accepts the result only while the version
// is still the same, and otherwise the work is done again with a new snapshot.

// Package ok is a route table that is compiled in the background.
package ok

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

type Route struct {
	Prefix  string
	Backend string
}

// matcher finds the longest prefix; it is not changed once built.
type matcher struct {
	routes []Route // longest first
}

func compile(routes []Route) *matcher {
	sorted := slices.SortedStableFunc(slices.Values(routes), func(a, b Route) int {
		return cmp.Compare(len(b.Prefix), len(a.Prefix))
	})
	return &matcher{routes: sorted}
}

func (m *matcher) find(path string) (string, bool) {
	for _, r := range m.routes {
		if strings.HasPrefix(path, r.Prefix) {
			return r.Backend, true
		}
	}
	return "", false
}

// Table holds the routes and the matcher made of them.
type Table struct {
	mu      sync.RWMutex
	routes  []Route
	version uint64
	built   uint64
	match   *matcher
}

func NewTable() *Table { return &Table{match: compile(nil)} }

// Add puts a route in; Rebuild makes it effective.
func (t *Table) Add(r Route) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes = append(t.routes, r)
	t.version++
}

// Remove takes the routes of a backend out.
func (t *Table) Remove(backend string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes = slices.DeleteFunc(t.routes, func(r Route) bool { return r.Backend == backend })
	t.version++
}

func (t *Table) snapshot() (routes []Route, version uint64, stale bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.routes), t.version, t.version != t.built
}

func (t *Table) install(m *matcher, version uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.version != version {
		return false
	}
	t.match = m
	t.built = version
	return true
}

// Rebuild brings the matcher up to date with the routes.
func (t *Table) Rebuild() {
	for {
		routes, version, stale := t.snapshot()
		if !stale || t.install(compile(routes), version) {
			return
		}
	}
}

// Lookup returns the backend for path.
func (t *Table) Lookup(path string) (string, bool) {
	t.mu.RLock()
	m := t.match
	t.mu.RUnlock()
	return m.find(path)
}
