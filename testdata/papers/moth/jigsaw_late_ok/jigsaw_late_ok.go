// Package jigsawlateok is Jigsaw of the MoTH suite (MoTH, Table 1; the web
// server of the W3C, after von Praun and Gross 2003), in the order of the program
// that was measured, put right: loading a resource store looks the store up and
// asks whether the manager is closed in one critical section.
package jigsawlateok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type store struct{ key string }

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
	m.entries = make(map[string]*store)
	m.closed = true
}

// loadResourceStore returns the store and whether m is closed.
func (m *manager) loadResourceStore(key string) (*store, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.lookupEntryLocked(key)
	pause()
	return s, m.closed
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
