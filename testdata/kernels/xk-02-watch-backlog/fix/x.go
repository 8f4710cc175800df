// Package fix is a revisioned event log with watchers.
package fix

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrCompacted = errors.New("revision compacted")
	ErrFuture    = errors.New("revision not reached")
)

type Event struct {
	Rev   int64
	Key   string
	Value string
}

// History numbers events and keeps the latest of them.
type History struct {
	sync.RWMutex
	keep     int
	rev      int64
	log      []Event // the events rev-len(log)+1 .. rev
	watchers map[*Watcher]struct{}
}

// Watcher receives every event after its start, in order.
type Watcher struct {
	h *History

	mu      sync.Mutex
	more    *sync.Cond
	pending []Event
	stopped bool
}

func NewHistory(keep int) *History {
	return &History{keep: keep, watchers: make(map[*Watcher]struct{})}
}

// Append records a change and returns its revision.
func (h *History) Append(key, value string) int64 {
	h.Lock()
	defer h.Unlock()
	h.rev++
	ev := Event{Rev: h.rev, Key: key, Value: value}
	h.log = append(h.log, ev)
	if n := len(h.log) - h.keep; n > 0 {
		h.log = slices.Clone(h.log[n:])
	}
	for w := range h.watchers {
		w.deliver(ev)
	}
	return ev.Rev
}

// List returns the events after from.
func (h *History) List(from int64) ([]Event, error) {
	h.RLock()
	defer h.RUnlock()
	return h.since(from)
}

// Watch returns a watcher that sees all events after from.
func (h *History) Watch(from int64) (*Watcher, error) {
	h.Lock()
	defer h.Unlock()
	backlog, err := h.since(from)
	if err != nil {
		return nil, err
	}
	w := &Watcher{h: h, pending: backlog}
	w.more = sync.NewCond(&w.mu)
	h.register(w)
	return w, nil
}

// since needs the lock.
func (h *History) since(from int64) ([]Event, error) {
	base := h.rev - int64(len(h.log))
	switch {
	case from < base:
		return nil, ErrCompacted
	case from > h.rev:
		return nil, ErrFuture
	}
	return slices.Clone(h.log[from-base:]), nil
}

// register needs the lock.
func (h *History) register(w *Watcher) {
	h.watchers[w] = struct{}{}
}

func (w *Watcher) deliver(ev Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, ev)
	w.more.Signal()
}

// Next blocks for the next event; false after Stop.
func (w *Watcher) Next() (Event, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) == 0 && !w.stopped {
		w.more.Wait()
	}
	if w.stopped {
		return Event{}, false
	}
	ev := w.pending[0]
	w.pending = w.pending[1:]
	return ev, true
}

// Stop ends the watch.
func (w *Watcher) Stop() {
	w.h.Lock()
	delete(w.h.watchers, w)
	w.h.Unlock()

	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.more.Broadcast()
}
