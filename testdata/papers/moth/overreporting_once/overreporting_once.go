// Package overreportingonce is OverReporting of the MoTH paper, a map that is
// initialised by the first client to need it, with sync.Once.
//
// No violation: the slices are allocated once, before any Init returns, so that
// no entry can be lost. Get and Put access both slices in one critical section.
package overreportingonce

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

const size = 10

// A Map has its keys and its values in two slices of one length.
type Map struct {
	once sync.Once

	mu     sync.Mutex
	keys   []string
	values []int
}

// Init allocates the slices unless that is done.
func (m *Map) Init() {
	m.once.Do(func() {
		pause()
		m.sets()
	})
}

func (m *Map) sets() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys = make([]string, 0, size)
	m.values = make([]int, 0, size)
}

// Put adds an entry.
func (m *Map) Put(key string, value int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys = append(m.keys, key)
	m.values = append(m.values, value)
}

// Get looks for a key.
func (m *Map) Get(key string) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.keys {
		if m.keys[i] == key {
			return m.values[i], true
		}
	}
	return 0, false
}

// client makes sure that the map is there, adds an entry and looks for it.
func client(m *Map, key string, value int) {
	m.Init()
	m.Put(key, value)
	_, _ = m.Get(key)
}

// Run lets two clients initialise and use one map.
func Run() {
	var m Map
	var wg sync.WaitGroup
	for i, key := range []string{"a", "b"} {
		wg.Go(func() { client(&m, key, i) })
	}
	wg.Wait()
}
