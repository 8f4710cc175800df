// Package kv is the in-memory store of the control plane.
package kv

import (
	"maps"
	"sync"
)

// Event tells of one change.
type Event struct {
	Key     string
	Value   string
	Deleted bool
}

// Store is safe for concurrent use.
type Store struct {
	mu       sync.Mutex
	data     map[string]string
	watchers map[*Watcher]struct{}
}

// Watcher delivers changes on C. C is closed when the reader has fallen too
// far behind, or after Stop.
type Watcher struct {
	C  <-chan Event
	ch chan Event
	st *Store
}

// New returns an empty store.
func New() *Store {
	return &Store{data: make(map[string]string), watchers: make(map[*Watcher]struct{})}
}

// Set stores a value.
func (s *Store) Set(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = value
	s.publish(Event{Key: key, Value: value})
}

// Delete removes a key.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.data[key]; !ok {
		return
	}
	delete(s.data, key)
	s.publish(Event{Key: key, Deleted: true})
}

// List returns a copy of everything.
func (s *Store) List() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.data)
}

// ListWatch returns a copy of everything and a watcher for the changes that
// come after it.
func (s *Store) ListWatch(buffer int) (map[string]string, *Watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.data), s.watch(buffer)
}

// Watch returns a watcher for the changes from now on.
func (s *Store) Watch(buffer int) *Watcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watch(buffer)
}

func (s *Store) watch(buffer int) *Watcher {
	ch := make(chan Event, buffer)
	w := &Watcher{C: ch, ch: ch, st: s}
	s.watchers[w] = struct{}{}
	return w
}

// publish is called with s.mu held, which keeps the events in order.
func (s *Store) publish(ev Event) {
	for w := range s.watchers {
		select {
		case w.ch <- ev:
		default:
			delete(s.watchers, w)
			close(w.ch)
		}
	}
}

// Stop ends the watch.
func (w *Watcher) Stop() {
	w.st.mu.Lock()
	defer w.st.mu.Unlock()
	if _, ok := w.st.watchers[w]; ok {
		delete(w.st.watchers, w)
		close(w.ch)
	}
}
