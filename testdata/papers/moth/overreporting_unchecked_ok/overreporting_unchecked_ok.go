// Package overreportinguncheckedok is a map that is initialised by the first
// client to need it, as in overreporting_unchecked, with the flag looked at and
// raised in one critical section.
//
// No violation: between the look at the flag and the allocation nobody else has
// the lock.
package overreportinguncheckedok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

const size = 10

// A Map has its keys and its values in two slices of one length.
type Map struct {
	mu       sync.Mutex
	initDone bool
	keys     []string
	values   []int
}

// Init allocates the slices unless that is done.
func (m *Map) Init() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.initDone {
		pause()
		m.sets()
	}
}

// sets is called with the lock.
func (m *Map) sets() {
	m.keys = make([]string, 0, size)
	m.values = make([]int, 0, size)
	m.initDone = true
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
