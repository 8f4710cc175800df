// Package bug is a versioned key-value store with watches.
package bug

import (
	"context"
	"strings"
	"sync"
)

// KV is a key with its value and the revision that wrote it.
type KV struct {
	Key string
	Val string
	Rev int64
}

// Event tells of a change.
type Event struct {
	KV
	Deleted bool
}

// Watcher queues the events of one prefix.
type Watcher struct {
	prefix string
	hub    *hub
	ready  chan struct{}

	mu    sync.Mutex
	queue []Event
}

func (w *Watcher) push(ev Event) {
	w.mu.Lock()
	w.queue = append(w.queue, ev)
	w.mu.Unlock()
	w.wake()
}

func (w *Watcher) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Next waits for the next event.
func (w *Watcher) Next(ctx context.Context) (Event, error) {
	for {
		w.mu.Lock()
		if len(w.queue) > 0 {
			ev := w.queue[0]
			w.queue = w.queue[1:]
			if len(w.queue) > 0 {
				w.wake()
			}
			w.mu.Unlock()
			return ev, nil
		}
		w.mu.Unlock()
		select {
		case <-w.ready:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Cancel ends the watch.
func (w *Watcher) Cancel() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.watchers, w)
}

type hub struct {
	mu       sync.Mutex
	watchers map[*Watcher]struct{}
}

func (h *hub) add(prefix string) *Watcher {
	w := &Watcher{prefix: prefix, hub: h, ready: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = struct{}{}
	return w
}

func (h *hub) publish(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if strings.HasPrefix(ev.Key, w.prefix) {
			w.push(ev)
		}
	}
}

// Store is the store.
type Store struct {
	hub *hub

	mu   sync.RWMutex
	rev  int64
	data map[string]KV
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{data: make(map[string]KV), hub: &hub{watchers: make(map[*Watcher]struct{})}}
}

// Put writes a key and returns the new revision.
func (s *Store) Put(key, val string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	kv := KV{key, val, s.rev}
	s.data[key] = kv
	s.hub.publish(Event{KV: kv})
	return s.rev
}

// Delete removes a key.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.data[key]; !ok {
		return
	}
	s.rev++
	delete(s.data, key)
	s.hub.publish(Event{KV: KV{Key: key, Rev: s.rev}, Deleted: true})
}

func (s *Store) scan(prefix string) []KV {
	var out []KV
	for k, kv := range s.data {
		if strings.HasPrefix(k, prefix) {
			out = append(out, kv)
		}
	}
	return out
}

// List returns the keys under prefix and the revision of the answer.
func (s *Store) List(prefix string) ([]KV, int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.scan(prefix), s.rev
}

// Watch returns the keys under prefix and a watcher for all later changes.
func (s *Store) Watch(prefix string) ([]KV, *Watcher) {
	kvs, _ := s.List(prefix)
	return kvs, s.hub.add(prefix)
}
