// Package endpoints distributes the endpoints of services to proxies.
package endpoints

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Set is the state of one service.
type Set struct {
	Version   uint64
	Addresses []string
}

type subscriber struct {
	wake chan struct{} // capacity 1
}

// Hub holds the sets of all services.
type Hub struct {
	mu   sync.Mutex
	sets map[string]Set
	subs map[string]map[*subscriber]struct{}
}

// NewHub returns an empty hub.
func NewHub() *Hub {
	return &Hub{
		sets: make(map[string]Set),
		subs: make(map[string]map[*subscriber]struct{}),
	}
}

// Publish replaces the addresses of a service.
func (h *Hub) Publish(service string, addresses []string) uint64 {
	addresses = slices.Sorted(slices.Values(addresses))
	h.mu.Lock()
	defer h.mu.Unlock()
	cur := h.sets[service]
	if cur.Version > 0 && slices.Equal(cur.Addresses, addresses) {
		return cur.Version
	}
	next := Set{Version: cur.Version + 1, Addresses: addresses}
	h.sets[service] = next
	for s := range h.subs[service] {
		select {
		case s.wake <- struct{}{}:
		default: // has not looked since the last one
		}
	}
	return next.Version
}

// Get returns the present set. The addresses must not be changed.
func (h *Hub) Get(service string) Set {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sets[service]
}

// Services returns the names that were published.
func (h *Hub) Services() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.sets))
}

func (h *Hub) subscribe(service string) *subscriber {
	s := &subscriber{wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.subs[service]
	if m == nil {
		m = make(map[*subscriber]struct{})
		h.subs[service] = m
	}
	m[s] = struct{}{}
	return s
}

func (h *Hub) unsubscribe(service string, s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.subs[service]
	delete(m, s)
	if len(m) == 0 {
		delete(h.subs, service)
	}
}

// Watch calls fn with the present set and with newer ones until ctx ends or
// fn fails. Versions in between may be skipped, the last one never is.
func (h *Hub) Watch(ctx context.Context, service string, fn func(Set) error) error {
	s := h.subscribe(service)
	defer h.unsubscribe(service, s)
	var seen uint64
	for {
		set := h.Get(service)
		if set.Version > seen {
			if err := fn(set); err != nil {
				return err
			}
			seen = set.Version
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
