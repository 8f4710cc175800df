// Package jigsawlate is Jigsaw of the MoTH suite (MoTH, Table 1; the web server
// of the W3C, after von Praun and Gross 2003) in the order of the program that
// was measured: loading a resource store looks the store up, which makes it if
// there is none, and asks after that whether the manager is closed.
//
// AV1: loadResourceStore. lookupEntry; shutdown of another goroutine;
// checkClosed: the store is one of an open manager, the answer is that of a
// closed one, whose entries don't have the store. A load that finds the manager
// closed and isn't split has made its store after shutdown, and it is there.
package jigsawlate

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
	m.entries = make(map[string]*store)
	m.closed = true
}

// loadResourceStore returns the store and whether m is closed.
func (m *manager) loadResourceStore(key string) (*store, bool) {
	s := m.lookupEntry(key)
	pause()
	return s, m.checkClosed()
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
