// Package jigsawok is Jigsaw of the MoTH suite (MoTH, Table 1; the web server
// of the W3C, after von Praun and Gross 2003) put right: loading a resource store
// asks whether the manager is closed and looks the store up in one critical
// section.
package jigsawok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type store struct{ key string }

// A manager that is closed has no entries.
type manager struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]*store
}

func newManager() *manager {
	return &manager{entries: make(map[string]*store)}
}

// lookupEntryLocked is for who holds m.mu.
func (m *manager) lookupEntryLocked(key string) *store {
	s := m.entries[key]
	if s == nil {
		s = &store{key}
		m.entries[key] = s
	}
	return s
}

func (m *manager) shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.closed = true
}

// loadResourceStore returns nil if m is closed.
func (m *manager) loadResourceStore(key string) *store {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	pause()
	return m.lookupEntryLocked(key)
}

// Run starts three goroutines that load a store and then shut down.
func Run() {
	m := newManager()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			m.loadResourceStore("index")
			m.shutdown()
		})
	}
	wg.Wait()
}
