// Package a fans key changes out to watchers.
package a

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var ErrHubClosed = errors.New("watch: hub closed")

// Event is a change of a key.
type Event struct {
	Key      string
	Value    []byte
	Revision int64
}

// Watcher receives the events of a key. C is closed when it ends.
type Watcher struct {
	C   <-chan Event
	c   chan Event
	key string
	hub *Hub

	ended   atomic.Bool
	dropped atomic.Int64
}

// Hub knows the watchers.
type Hub struct {
	mu       sync.Mutex
	watchers map[string]map[*Watcher]struct{}
	closed   bool
	revision int64

	sent atomic.Int64
	slow atomic.Int64
}

// NewHub returns a hub without watchers.
func NewHub() *Hub { return &Hub{watchers: make(map[string]map[*Watcher]struct{})} }

// Watch starts to watch a key.
func (h *Hub) Watch(key string, buffer int) (*Watcher, error) {
	c := make(chan Event, buffer)
	w := &Watcher{C: c, c: c, key: key, hub: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrHubClosed
	}
	set := h.watchers[key]
	if set == nil {
		set = make(map[*Watcher]struct{})
		h.watchers[key] = set
	}
	set[w] = struct{}{}
	return w, nil
}

// Publish gives a change to the watchers of its key. One that does not read
// loses the event and sees that from Dropped.
func (h *Hub) Publish(key string, value []byte) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revision++
	ev := Event{Key: key, Value: value, Revision: h.revision}
	for w := range h.watchers[key] {
		select {
		case w.c <- ev:
			h.sent.Add(1)
		default:
			w.dropped.Add(1)
			h.slow.Add(1)
		}
	}
	return ev.Revision
}

// Cancel ends a watcher. It may be called any number of times.
func (w *Watcher) Cancel() {
	if w.ended.Load() {
		return
	}
	if n := w.dropped.Load(); n > 0 {
		log.Printf("watch: %s: %d events dropped so far", w.key, n)
	}
	if !w.ended.CompareAndSwap(false, true) {
		return
	}
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	set := h.watchers[w.key]
	delete(set, w)
	if len(set) == 0 {
		delete(h.watchers, w.key)
	}
	close(w.c)
}

// Dropped is the number of events that the watcher missed.
func (w *Watcher) Dropped() int64 { return w.dropped.Load() }

// Close ends all watchers.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	var all []*Watcher
	for _, set := range h.watchers {
		for w := range set {
			all = append(all, w)
		}
	}
	h.mu.Unlock()
	for _, w := range all {
		w.Cancel()
	}
}

// Stats returns the counters.
func (h *Hub) Stats() (sent, slow int64) { return h.sent.Load(), h.slow.Load() }
