// Package watchmux lets many watchers share one upstream stream per key.
package watchmux

import (
	"sort"
	"sync"
)

// Event is a change of a key.
type Event struct {
	Key   string
	Rev   int64
	Value []byte
}

// Upstream opens streams to the configuration service. Open and the stop
// function it returns come back at once; the sink is called from a goroutine
// of the stream.
type Upstream interface {
	Open(key string, sink func(Event)) (stop func(), err error)
}

// queueLen is how many events a watcher may lag behind.
const queueLen = 64

// feed is an open stream and those who listen to it.
type feed struct {
	stop     func()
	watchers map[int64]*Watcher
}

// Mux shares streams. It is safe for concurrent use.
type Mux struct {
	up Upstream

	mu     sync.Mutex
	feeds  map[string]*feed
	nextID int64
}

// Watcher receives the events of one key.
type Watcher struct {
	mux    *Mux
	key    string
	id     int64
	events chan Event
	missed int // guarded by mux.mu
}

// New returns a Mux without open streams.
func New(up Upstream) *Mux {
	return &Mux{up: up, feeds: make(map[string]*feed)}
}

// Watch starts to watch key.
func (m *Mux) Watch(key string) (*Watcher, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.feeds[key]
	if !ok {
		f = &feed{watchers: make(map[int64]*Watcher)}
		stop, err := m.up.Open(key, func(ev Event) { m.deliver(f, ev) })
		if err != nil {
			return nil, err
		}
		f.stop = stop
		m.feeds[key] = f
	}
	m.nextID++
	w := &Watcher{mux: m, key: key, id: m.nextID, events: make(chan Event, queueLen)}
	f.watchers[w.id] = w
	return w, nil
}

// deliver hands ev to the watchers of f. A watcher that does not keep up
// misses events.
func (m *Mux) deliver(f *feed, ev Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range f.watchers {
		select {
		case w.events <- ev:
		default:
			w.missed++
		}
	}
}

// detach removes w from its feed and returns how many watchers are left.
func (m *Mux) detach(w *Watcher) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.feeds[w.key]
	if !ok {
		return 0
	}
	if _, ok := f.watchers[w.id]; ok {
		delete(f.watchers, w.id)
		close(w.events)
	}
	return len(f.watchers)
}

// retire ends the stream of key.
func (m *Mux) retire(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.feeds[key]
	if !ok {
		return
	}
	f.stop()
	delete(m.feeds, key)
}

// Keys returns the keys that have an open stream.
func (m *Mux) Keys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make([]string, 0, len(m.feeds))
	for k := range m.feeds {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Events returns the channel of events. It is closed by Close.
func (w *Watcher) Events() <-chan Event { return w.events }

// Missed returns how many events did not fit into the queue.
func (w *Watcher) Missed() int {
	w.mux.mu.Lock()
	defer w.mux.mu.Unlock()
	return w.missed
}

// Close ends the watch. The stream of a key is closed when nobody listens to
// it any more. Closing a watcher twice is fine.
func (w *Watcher) Close() {
	if w.mux.detach(w) == 0 {
		w.mux.retire(w.key)
	}
}
