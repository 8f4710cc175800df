// Correct: the mirror subscribes first and takes the snapshot second, so a
// change in between arrives twice rather than never. Applying is by revision
// of the key, and a revision that is not newer changes nothing, so neither
// the repetition nor the order in which the two arrive matters.
package mirror

import (
	"sync"
)

// Change is one version of a key; Gone says that it was deleted.
type Change struct {
	Key, Val string
	Rev      uint64
	Gone     bool
}

// Source is where keys are written.
type Source struct {
	mu   sync.RWMutex
	rev  uint64
	rows map[string]Change

	subMu sync.RWMutex
	subs  []func(Change)
}

// NewSource returns an empty source.
func NewSource() *Source {
	return &Source{rows: make(map[string]Change)}
}

func (s *Source) write(c Change) {
	s.mu.Lock()
	s.rev++
	c.Rev = s.rev
	s.rows[c.Key] = c
	s.mu.Unlock()

	s.subMu.RLock()
	defer s.subMu.RUnlock()
	for _, fn := range s.subs {
		fn(c)
	}
}

// Put writes a key.
func (s *Source) Put(key, val string) {
	s.write(Change{Key: key, Val: val})
}

// Delete deletes a key and leaves a tombstone.
func (s *Source) Delete(key string) {
	s.write(Change{Key: key, Gone: true})
}

func (s *Source) subscribe(fn func(Change)) {
	s.subMu.Lock()
	defer s.subMu.Unlock()
	s.subs = append(s.subs, fn)
}

// Snapshot returns the newest version of every key, tombstones included.
func (s *Source) Snapshot() []Change {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]Change, 0, len(s.rows))
	for _, c := range s.rows {
		out = append(out, c)
	}
	return out
}

// Mirror is a copy of a source.
type Mirror struct {
	mu   sync.RWMutex
	rows map[string]Change
}

// Follow returns a mirror that has caught up with s and stays so.
func Follow(s *Source) *Mirror {
	m := &Mirror{rows: make(map[string]Change)}
	s.subscribe(m.apply)
	for _, c := range s.Snapshot() {
		m.apply(c)
	}
	return m
}

func (m *Mirror) apply(c Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Rev <= m.rows[c.Key].Rev {
		return
	}
	m.rows[c.Key] = c
}

// Get returns the value of key as far as the mirror knows.
func (m *Mirror) Get(key string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c, ok := m.rows[key]
	if !ok || c.Gone {
		return "", false
	}
	return c.Val, true
}

// Len returns the number of keys that are not deleted.
func (m *Mirror) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := 0
	for _, c := range m.rows {
		if !c.Gone {
			n++
		}
	}
	return n
}
