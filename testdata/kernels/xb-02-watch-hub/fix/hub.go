// Package hub is an in-memory configuration store with prefix watches.
package hub

import (
	"context"
	"errors"
	"maps"
	"strings"
)

// ErrEmptyKey is returned when a key is required.
var ErrEmptyKey = errors.New("hub: empty key")

// Event describes one change.
type Event struct {
	Rev     uint64
	Key     string
	Value   string
	Deleted bool
}

// Watcher is the client's side of a watch: the state it starts from and the
// changes that follow it.
type Watcher struct {
	// Initial holds the matching keys as of StartRev.
	Initial  map[string]string
	StartRev uint64

	prefix string
	events chan Event
	hub    *Hub
}

// Events yields changes to the watched prefix in order. It is closed when the
// watcher is stopped or has fallen too far behind.
func (w *Watcher) Events() <-chan Event { return w.events }

// Hub holds the keys and the watchers. It is safe for concurrent use.
type Hub struct {
	gate     chan struct{} // holds one token while somebody is inside
	rev      uint64
	values   map[string]string
	watchers map[*Watcher]struct{}
	backlog  int
}

// New returns an empty Hub; backlog bounds the events queued for a watcher.
func New(backlog int) *Hub {
	return &Hub{
		gate:     make(chan struct{}, 1),
		values:   make(map[string]string),
		watchers: make(map[*Watcher]struct{}),
		backlog:  backlog,
	}
}

func (h *Hub) enter(ctx context.Context) error {
	select {
	case h.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Hub) leave() { <-h.gate }

// Put sets key and tells the watchers.
func (h *Hub) Put(ctx context.Context, key, value string) (uint64, error) {
	if key == "" {
		return 0, ErrEmptyKey
	}
	if err := h.enter(ctx); err != nil {
		return 0, err
	}
	defer h.leave()
	h.rev++
	h.values[key] = value
	h.publish(Event{Rev: h.rev, Key: key, Value: value})
	return h.rev, nil
}

// Delete removes key and tells the watchers. Deleting an absent key is a no-op.
func (h *Hub) Delete(ctx context.Context, key string) error {
	if err := h.enter(ctx); err != nil {
		return err
	}
	defer h.leave()
	if _, ok := h.values[key]; !ok {
		return nil
	}
	h.rev++
	delete(h.values, key)
	h.publish(Event{Rev: h.rev, Key: key, Deleted: true})
	return nil
}

// publish is called inside the gate.
func (h *Hub) publish(ev Event) {
	for w := range h.watchers {
		if !strings.HasPrefix(ev.Key, w.prefix) {
			continue
		}
		select {
		case w.events <- ev:
		default:
			delete(h.watchers, w)
			close(w.events)
		}
	}
}

// List returns the keys below prefix and the revision they are taken at.
func (h *Hub) List(ctx context.Context, prefix string) (map[string]string, uint64, error) {
	if err := h.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer h.leave()
	return h.collect(prefix), h.rev, nil
}

// collect is called inside the gate.
func (h *Hub) collect(prefix string) map[string]string {
	out := maps.Clone(h.values)
	maps.DeleteFunc(out, func(k, _ string) bool { return !strings.HasPrefix(k, prefix) })
	return out
}

// Watch returns the present state below prefix and a stream of every change
// made after it.
func (h *Hub) Watch(ctx context.Context, prefix string) (*Watcher, error) {
	if err := h.enter(ctx); err != nil {
		return nil, err
	}
	defer h.leave()
	w := &Watcher{
		Initial:  h.collect(prefix),
		StartRev: h.rev,
		prefix:   prefix,
		events:   make(chan Event, h.backlog),
		hub:      h,
	}
	h.watchers[w] = struct{}{}
	return w, nil
}

// Stop ends the watch. It may be called more than once.
func (w *Watcher) Stop() {
	h := w.hub
	h.gate <- struct{}{}
	defer h.leave()
	if _, ok := h.watchers[w]; ok {
		delete(h.watchers, w)
		close(w.events)
	}
}
