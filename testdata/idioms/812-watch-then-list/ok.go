// Package kvwatch is an in-memory key-value store whose changes can be
// followed.
package kvwatch

import (
	"context"
	"maps"
	"sync"
)

// Event is a change of the store. Changes are numbered 1, 2, 3, ...
type Event struct {
	Rev     int64
	Key     string
	Value   string
	Deleted bool
}

// follower is a queue of events for one watcher. It has no bound.
type follower struct {
	mu     sync.Mutex
	events []Event
	ready  chan struct{} // holds a token if there may be events
}

func newFollower() *follower {
	return &follower{ready: make(chan struct{}, 1)}
}

func (f *follower) push(ev Event) {
	f.mu.Lock()
	f.events = append(f.events, ev)
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// take returns the events so far, or waits for one.
func (f *follower) take(ctx context.Context) ([]Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.mu.Lock()
		events := f.events
		f.events = nil
		f.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// hub is the set of followers.
type hub struct {
	mu        sync.Mutex
	followers map[*follower]struct{}
}

func (h *hub) join(f *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.followers[f] = struct{}{}
}

func (h *hub) leave(f *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers, f)
}

func (h *hub) publish(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers {
		f.push(ev)
	}
}

// Store is the store. It is safe for concurrent use.
type Store struct {
	hub hub

	mu   sync.RWMutex // taken before hub.mu
	rev  int64
	data map[string]string
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		hub:  hub{followers: make(map[*follower]struct{})},
		data: make(map[string]string),
	}
}

// Get returns the value of key.
func (s *Store) Get(key string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v, ok
}

// Put sets the value of key and returns the number of the change.
func (s *Store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = value
	s.rev++
	s.hub.publish(Event{Rev: s.rev, Key: key, Value: value})
	return s.rev
}

// Delete removes key.
func (s *Store) Delete(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.data[key]; !ok {
		return false
	}
	delete(s.data, key)
	s.rev++
	s.hub.publish(Event{Rev: s.rev, Key: key, Deleted: true})
	return true
}

// snapshot returns the contents and the number of the last change in them.
func (s *Store) snapshot() (map[string]string, int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.data), s.rev
}

// Watch calls list with the contents of the store and then change for every
// change after them, in order, until ctx ends or one of the two fails.
func (s *Store) Watch(ctx context.Context, list func(data map[string]string, rev int64) error, change func(Event) error) error {
	f := newFollower()
	s.hub.join(f)
	defer s.hub.leave(f)

	data, rev := s.snapshot()
	if err := list(data, rev); err != nil {
		return err
	}
	for {
		events, err := f.take(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if ev.Rev <= rev {
				continue
			}
			if err := change(ev); err != nil {
				return err
			}
		}
	}
}
