// Package multimap has maps with several values for each key.
package multimap

import (
	"slices"
	"sync"
)

// Multimap is a multimap for many goroutines. The zero value is empty.
type Multimap[K, V comparable] struct {
	mu    sync.RWMutex
	lists map[K][]V
	size  int
}

// Add adds a value for a key and reports if it was not there before.
func (m *Multimap[K, V]) Add(key K, value V) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.lists[key], value) {
		return false
	}
	if m.lists == nil {
		m.lists = make(map[K][]V)
	}
	m.lists[key] = append(m.lists[key], value)
	m.size++
	return true
}

// Get returns the values for a key, in the order they were added.
func (m *Multimap[K, V]) Get(key K) []V {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.lists[key])
}

// Has reports if there is such a value for a key.
func (m *Multimap[K, V]) Has(key K, value V) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Contains(m.lists[key], value)
}

// Remove removes the values for a key which match.
func (m *Multimap[K, V]) Remove(key K, match func(V) bool) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.lists[key])
	if before == 0 {
		return 0
	}
	m.lists[key] = slices.DeleteFunc(m.lists[key], match)
	after := len(m.lists[key])
	if after == 0 {
		delete(m.lists, key)
	}
	m.size -= before - after
	return before - after
}

// Size returns the number of all values.
func (m *Multimap[K, V]) Size() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.size
}
