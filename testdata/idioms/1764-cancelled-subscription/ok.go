// Package a passes the changes of a feature-flag set on to its watchers.
package a

import (
	"slices"
	"sync"
)

// Change is a new value of a flag.
type Change struct {
	Seq   uint64
	Flag  string
	Value string
}

// Subscription is one watcher.
type Subscription struct {
	hub    *Hub
	prefix string

	mu        sync.Mutex // held during a call of fn
	fn        func(Change)
	cancelled bool
}

// deliver calls the watcher, unless it has been cancelled.
func (s *Subscription) deliver(c Change) {
	if len(c.Flag) < len(s.prefix) || c.Flag[:len(s.prefix)] != s.prefix {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancelled {
		return
	}
	s.fn(c)
}

// Cancel ends the subscription. Once it has returned, the function is not
// called any more. It must not be called from within the function.
func (s *Subscription) Cancel() {
	s.mu.Lock()
	s.cancelled = true
	s.mu.Unlock()
	s.hub.drop(s)
}

// Hub distributes changes.
type Hub struct {
	setMu sync.Mutex // one change after the other, in the order of Seq
	seq   uint64

	mu    sync.RWMutex
	flags map[string]string
	subs  []*Subscription
}

// NewHub returns a hub without flags.
func NewHub() *Hub {
	return &Hub{flags: make(map[string]string)}
}

// Watch calls fn for each change, from the next one on, of a flag with the
// given prefix. fn must not set flags.
func (h *Hub) Watch(prefix string, fn func(Change)) *Subscription {
	s := &Subscription{hub: h, prefix: prefix, fn: fn}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(h.subs, s)
	return s
}

func (h *Hub) drop(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.subs, s); i >= 0 {
		h.subs = slices.Delete(h.subs, i, i+1)
	}
}

// Set changes a flag and returns when all the watchers have been called.
func (h *Hub) Set(flag, value string) {
	h.setMu.Lock()
	defer h.setMu.Unlock()

	subs, changed := h.store(flag, value)
	if !changed {
		return
	}
	h.seq++
	c := Change{Seq: h.seq, Flag: flag, Value: value}
	for _, s := range subs {
		s.deliver(c)
	}
}

// store records the value and returns the watchers of this moment. They are
// called without the lock, so that they can read flags.
func (h *Hub) store(flag, value string) ([]*Subscription, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, ok := h.flags[flag]; ok && old == value {
		return nil, false
	}
	h.flags[flag] = value
	return slices.Clone(h.subs), true
}

// Get returns the value of a flag.
func (h *Hub) Get(flag string) (string, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	v, ok := h.flags[flag]
	return v, ok
}

// Watchers returns the number of subscriptions.
func (h *Hub) Watchers() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.subs)
}
