package a

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Event is a change of one key.
type Event struct {
	Key     string
	Value   string
	Rev     int64
	Deleted bool
}

// Store is a small key-value store whose changes can be watched, the way
// the service catalogue is followed by the proxies.
type Store struct {
	mu       sync.Mutex
	rev      int64
	data     map[string]Event
	watchers map[*Watcher]struct{}
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{
		data:     make(map[string]Event),
		watchers: make(map[*Watcher]struct{}),
	}
}

// Watcher follows the keys under a prefix. Initial is the content at Rev;
// every later change arrives on C. C is closed when the watcher is stopped
// or too slow.
type Watcher struct {
	Initial []Event
	Rev     int64

	store  *Store
	prefix string
	ch     chan Event
}

// C delivers the changes after Rev.
func (w *Watcher) C() <-chan Event { return w.ch }

// Put sets a key.
func (s *Store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	ev := Event{Key: key, Value: value, Rev: s.rev}
	s.data[key] = ev
	s.notifyLocked(ev)
	return s.rev
}

// Delete removes a key if it exists.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.data[key]; !ok {
		return
	}
	s.rev++
	delete(s.data, key)
	s.notifyLocked(Event{Key: key, Rev: s.rev, Deleted: true})
}

func (s *Store) notifyLocked(ev Event) {
	for w := range s.watchers {
		if !strings.HasPrefix(ev.Key, w.prefix) {
			continue
		}
		select {
		case w.ch <- ev:
		default:
			s.detachLocked(w)
		}
	}
}

func (s *Store) detachLocked(w *Watcher) {
	if _, ok := s.watchers[w]; ok {
		delete(s.watchers, w)
		close(w.ch)
	}
}

// listLocked copies the keys under a prefix.
func (s *Store) listLocked(prefix string) []Event {
	var out []Event
	for key, ev := range s.data {
		if strings.HasPrefix(key, prefix) {
			out = append(out, ev)
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// List returns the keys under a prefix and the revision they are from.
func (s *Store) List(prefix string) ([]Event, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listLocked(prefix), s.rev
}

// Watch returns the content under a prefix and follows its changes.
func (s *Store) Watch(prefix string, depth int) *Watcher {
	w := &Watcher{store: s, prefix: prefix, ch: make(chan Event, depth)}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Initial, w.Rev = s.listLocked(prefix), s.rev
	s.watchers[w] = struct{}{}
	return w
}

// Stop ends the watcher.
func (w *Watcher) Stop() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.detachLocked(w)
}
