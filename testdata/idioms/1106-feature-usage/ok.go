// Correct: names are only ever added, never removed, and adding one twice is the
// same as adding it once; so it does no harm that the test for a known name and
// the addition are two critical sections. The test only spares the write lock.

// Package ok records which features of a program have been used.
package ok

import (
	"maps"
	"slices"
	"sync"
)

// Usage is a growing set of used features, by component.
type Usage struct {
	mu   sync.RWMutex
	seen map[string]map[string]struct{}
}

func NewUsage() *Usage {
	return &Usage{seen: make(map[string]map[string]struct{})}
}

func (u *Usage) known(component, feature string) bool {
	u.mu.RLock()
	defer u.mu.RUnlock()
	_, ok := u.seen[component][feature]
	return ok
}

func (u *Usage) insert(component, feature string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fs := u.seen[component]
	if fs == nil {
		fs = make(map[string]struct{})
		u.seen[component] = fs
	}
	fs[feature] = struct{}{}
}

// Touch records a use. It is called on hot paths.
func (u *Usage) Touch(component, feature string) {
	if u.known(component, feature) {
		return
	}
	u.insert(component, feature)
}

// Merge records all uses that other has recorded.
func (u *Usage) Merge(other *Usage) {
	for _, c := range other.Components() {
		for _, f := range other.Features(c) {
			u.Touch(c, f)
		}
	}
}

// Components lists the components of which something has been used.
func (u *Usage) Components() []string {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return slices.Sorted(maps.Keys(u.seen))
}

// Features lists the used features of a component.
func (u *Usage) Features(component string) []string {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return slices.Sorted(maps.Keys(u.seen[component]))
}
