package watchstore

import (
	"context"
	"errors"
	"sync"
)

// ErrCompacted is returned for a start revision that is gone.
var ErrCompacted = errors.New("watchstore: revision compacted")

// Event is one change of a key.
type Event struct {
	Rev   int64
	Key   string
	Value []byte
}

// Store is a key value store with revisions.
type Store struct {
	mu        sync.RWMutex
	rev       int64
	compacted int64
	data      map[string][]byte
	history   []Event

	hub hub
}

// New returns an empty store.
func New() *Store {
	return &Store{
		data: make(map[string][]byte),
		hub:  hub{watchers: make(map[*watcher]struct{})},
	}
}

// Put sets key and returns the revision of the change.
func (s *Store) Put(key string, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	ev := Event{Rev: s.rev, Key: key, Value: value}
	s.data[key] = value
	s.history = append(s.history, ev)
	s.hub.notify(ev)
	return s.rev
}

// Get returns the value of key and the revision it was read at.
func (s *Store) Get(key string) ([]byte, int64, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v, s.rev, ok
}

// Compact forgets the history up to and including rev.
func (s *Store) Compact(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.history) && s.history[n].Rev <= rev {
		n++
	}
	s.history = append([]Event(nil), s.history[n:]...)
	s.compacted = max(s.compacted, min(rev, s.rev))
}

func (s *Store) since(rev int64, key string) ([]Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if rev < s.compacted {
		return nil, ErrCompacted
	}
	var evs []Event
	for _, ev := range s.history {
		if ev.Rev > rev && ev.Key == key {
			evs = append(evs, ev)
		}
	}
	return evs, nil
}

// Watch returns the changes of key after rev, as they come. The channel is
// closed when ctx is done or the reader is too slow.
func (s *Store) Watch(ctx context.Context, key string, rev int64) (<-chan Event, error) {
	w := &watcher{key: key, live: make(chan Event, 128)}
	backlog, err := s.since(rev, key)
	if err != nil {
		return nil, err
	}
	s.hub.add(w)

	out := make(chan Event)
	go func() {
		defer close(out)
		defer s.hub.remove(w)
		w.run(ctx, backlog, out)
	}()
	return out, nil
}
