// Package fix lets clients watch a revisioned key space, from any revision on.
package fix

import (
	"sort"
	"strings"
	"sync"
	"time"
)

// Event is one change; every revision has exactly one.
type Event struct {
	Rev   int64
	Key   string
	Value string
}

// Watcher gets the events under a prefix, in order.
type Watcher struct {
	hub    *Hub
	prefix string
	next   int64 // the first revision wanted

	mu    sync.Mutex
	queue []Event
	ready chan struct{}
}

func (w *Watcher) push(evs ...Event) {
	w.mu.Lock()
	for _, ev := range evs {
		if ev.Rev >= w.next && strings.HasPrefix(ev.Key, w.prefix) {
			w.queue = append(w.queue, ev)
		}
	}
	w.mu.Unlock()
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Ready receives when Take may have something.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// Take returns what has been delivered.
func (w *Watcher) Take() []Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	evs := w.queue
	w.queue = nil
	return evs
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.synced, w)
	delete(w.hub.unsynced, w)
}

// Hub holds the history and the watchers. New events go to the synced ones;
// the others are brought up from the history by Run.
type Hub struct {
	mu       sync.Mutex
	rev      int64
	history  []Event
	synced   map[*Watcher]bool
	unsynced map[*Watcher]bool
}

func NewHub() *Hub {
	return &Hub{synced: make(map[*Watcher]bool), unsynced: make(map[*Watcher]bool)}
}

// Put makes a change and returns its revision.
func (h *Hub) Put(key, value string) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev++
	ev := Event{Rev: h.rev, Key: key, Value: value}
	h.history = append(h.history, ev)
	for w := range h.synced {
		w.push(ev)
	}
	return h.rev
}

// Watch starts at revision from; zero means the next change.
func (h *Hub) Watch(prefix string, from int64) *Watcher {
	w := &Watcher{hub: h, prefix: prefix, next: from, ready: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if from == 0 || from > h.rev {
		h.synced[w] = true
	} else {
		h.unsynced[w] = true
	}
	return w
}

func (h *Hub) behind() []*Watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	ws := make([]*Watcher, 0, len(h.unsynced))
	for w := range h.unsynced {
		ws = append(ws, w)
	}
	return ws
}

// since wants h.mu held.
func (h *Hub) since(rev int64) []Event {
	i := sort.Search(len(h.history), func(i int) bool { return h.history[i].Rev >= rev })
	return h.history[i:]
}

func (h *Hub) bringUp(w *Watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.unsynced[w] {
		return
	}
	w.push(h.since(w.next)...)
	delete(h.unsynced, w)
	h.synced[w] = true
}

func (h *Hub) syncWatchers() {
	for _, w := range h.behind() {
		h.bringUp(w)
	}
}

// Run brings up watchers until stop is closed.
func (h *Hub) Run(stop <-chan struct{}) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.syncWatchers()
		case <-stop:
			return
		}
	}
}
