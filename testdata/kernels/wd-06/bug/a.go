// Package a is a translation memory: it remembers how segments were
// translated and how well the translations were received.
package a

import (
	"sync"
	"time"
)

// Unit is the stored translation of a segment.
type Unit struct {
	Target  string
	Uses    int
	Score   float64 // mean of the ratings
	Touched time.Time
}

type key[L comparable] struct {
	lang   L
	source string
}

// Memory holds units per target language.
type Memory[L comparable] struct {
	now func() time.Time

	mu    sync.RWMutex
	units map[key[L]]Unit
}

// NewMemory returns an empty memory.
func NewMemory[L comparable](now func() time.Time) *Memory[L] {
	return &Memory[L]{now: now, units: make(map[key[L]]Unit)}
}

func (m *Memory[L]) get(k key[L]) (Unit, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	u, ok := m.units[k]
	return u, ok
}

func (m *Memory[L]) put(k key[L], u Unit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units[k] = u
}

// Lookup returns the translation of a segment.
func (m *Memory[L]) Lookup(lang L, source string) (string, bool) {
	u, ok := m.get(key[L]{lang, source})
	return u.Target, ok
}

// Import stores a translation and forgets the ratings of the previous one.
func (m *Memory[L]) Import(lang L, source, target string) {
	m.put(key[L]{lang, source}, Unit{Target: target, Touched: m.now()})
}

// Confirm records that a translator used the stored translation and rated
// it. It reports whether there was one.
func (m *Memory[L]) Confirm(lang L, source string, rating float64) bool {
	k := key[L]{lang, source}
	u, ok := m.get(k)
	if !ok {
		return false
	}
	u.Uses++
	u.Score += (rating - u.Score) / float64(u.Uses)
	u.Touched = m.now()
	m.put(k, u)
	return true
}

// Forget removes a translation.
func (m *Memory[L]) Forget(lang L, source string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.units, key[L]{lang, source})
}

// Len returns the number of units.
func (m *Memory[L]) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.units)
}
