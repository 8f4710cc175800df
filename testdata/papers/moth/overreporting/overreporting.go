// Package overreporting is OverReporting of the MoTH paper, the third figure of
// von Praun and Gross: a map that is initialised by the first client to need it.
//
// No violation. Init looks at the flag without the lock, so that two clients
// may both find it clear and both call sets. The second call replaces empty
// slices by empty slices, since nobody can add an entry to this map: no client
// sees a difference. Get reads both slices in one critical section.
package overreporting

import (
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const size = 10

// A Map has its keys and its values in two slices of one length.
type Map struct {
	initDone atomic.Bool

	mu     sync.Mutex
	keys   []string
	values []int
}

// Init allocates the slices unless that is done.
func (m *Map) Init() {
	if !m.initDone.Load() {
		pause()
		m.sets()
	}
}

// sets raises the flag first: whoever sees it raised and goes on to Get waits
// there for the lock.
func (m *Map) sets() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.initDone.Store(true)
	m.keys = make([]string, size)
	m.values = make([]int, size)
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

// client makes sure that the map is there and looks for a key.
func client(m *Map, key string) {
	m.Init()
	_, _ = m.Get(key)
}

// Run lets two clients initialise and use one map.
func Run() {
	var m Map
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { client(&m, "a") })
	}
	wg.Wait()
}
