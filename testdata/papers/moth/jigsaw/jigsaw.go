// Package jigsaw is Jigsaw of the MoTH suite (MoTH, Table 1; the web server of
// the W3C, after von Praun and Gross 2003) in the order that is documented:
// loading a resource store asks whether the manager is closed and then looks the
// store up, which makes it if there is none.
//
// AV1: loadResourceStore. checkClosed; shutdown of another goroutine;
// lookupEntry: the answer is stale, and a closed manager gets an entry.
package jigsaw

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

func (m *manager) checkClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (m *manager) lookupEntry(key string) *store {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	if m.checkClosed() {
		return nil
	}
	pause()
	return m.lookupEntry(key)
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
