// Package a records the events of a workflow. A history only grows, and
// an event never changes once it was recorded.
package a

import (
	"errors"
	"sync"
)

var ErrNoEvent = errors.New("no such event")

// Event is one step of a workflow.
type Event struct {
	ID   int
	Kind string
}

// History is the list of events of one workflow.
type History struct {
	mu     sync.RWMutex
	events []Event
}

// Append records an event and returns its id.
func (h *History) Append(kind string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := len(h.events)
	h.events = append(h.events, Event{ID: id, Kind: kind})
	return id
}

// Len is the number of events so far.
func (h *History) Len() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.events)
}

// page copies the events with from <= id < to.
func (h *History) page(from, to int) []Event {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return append([]Event(nil), h.events[from:to]...)
}

func (h *History) at(id int) Event {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.events[id]
}

// Event returns one event.
func (h *History) Event(id int) (Event, error) {
	if id < 0 || id >= h.Len() {
		return Event{}, ErrNoEvent
	}
	return h.at(id), nil
}

// Replay calls fn for the events that exist at the time of the call,
// size events per page.
func (h *History) Replay(size int, fn func(Event) error) error {
	if size <= 0 {
		size = 100
	}
	end := h.Len()
	for from := 0; from < end; from += size {
		to := min(from+size, end)
		for _, e := range h.page(from, to) {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Last returns the newest event.
func (h *History) Last() (Event, bool) {
	n := h.Len()
	if n == 0 {
		return Event{}, false
	}
	return h.at(n - 1), true
}
