// Package a distributes severe-weather alerts inside a process.
package a

import (
	"errors"
	"sync"
)

// Alert is one warning as it came from the met office.
type Alert struct {
	Region   string
	Severity int
	Text     string
}

// Handle names a subscription.
type Handle uint64

type listener[T any] struct {
	id     Handle
	accept func(T) bool
	fn     func(T)
}

// Hub passes values on to listeners.
type Hub[T any] struct {
	mu        sync.RWMutex
	last      Handle
	listeners []listener[T]
}

// ErrNotSubscribed is returned for a handle that is not in use.
var ErrNotSubscribed = errors.New("not subscribed")

// Subscribe adds fn; accept may be nil.
func (h *Hub[T]) Subscribe(accept func(T) bool, fn func(T)) Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.listeners = append(h.listeners, listener[T]{id: h.last, accept: accept, fn: fn})
	return h.last
}

func (h *Hub[T]) snapshot() []listener[T] {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.listeners
}

// Unsubscribe removes the listener with the given handle. The slice is
// rebuilt so that a running Emit keeps its own view.
func (h *Hub[T]) Unsubscribe(id Handle) error {
	cur := h.snapshot()
	kept := make([]listener[T], 0, len(cur))
	for _, l := range cur {
		if l.id != id {
			kept = append(kept, l)
		}
	}
	if len(kept) == len(cur) {
		return ErrNotSubscribed
	}
	h.mu.Lock()
	h.listeners = kept
	h.mu.Unlock()
	return nil
}

// Emit calls every listener that accepts v.
func (h *Hub[T]) Emit(v T) int {
	n := 0
	for _, l := range h.snapshot() {
		if l.accept != nil && !l.accept(v) {
			continue
		}
		l.fn(v)
		n++
	}
	return n
}

// Alerts is the hub the forecast feed writes to.
type Alerts struct {
	Hub[Alert]
}

// OnRegion subscribes to alerts of one region at or above a severity.
func (a *Alerts) OnRegion(region string, severity int, fn func(Alert)) Handle {
	return a.Subscribe(func(v Alert) bool {
		return v.Region == region && v.Severity >= severity
	}, fn)
}
