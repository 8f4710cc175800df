// Package a routes incoming webhooks to their handlers.
package a

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Handler processes the body of a webhook.
type Handler func(body []byte) error

// routes is immutable once it has been published.
type routes struct {
	handlers map[string]Handler
	fallback Handler
}

func (r *routes) clone() *routes {
	c := &routes{handlers: make(map[string]Handler, len(r.handlers)+1), fallback: r.fallback}
	for k, h := range r.handlers {
		c.handlers[k] = h
	}
	return c
}

// Router looks up handlers without a lock.
type Router struct {
	cur       atomic.Pointer[routes]
	delivered atomic.Uint64
}

// ErrTaken is returned when an event has a handler already.
var ErrTaken = errors.New("event has a handler")

// NewRouter returns a router that gives unknown events to fallback.
func NewRouter(fallback Handler) *Router {
	r := new(Router)
	r.cur.Store(&routes{fallback: fallback})
	return r
}

// Handle registers the handler of an event.
func (r *Router) Handle(event string, h Handler) error {
	if h == nil {
		return errors.New("nil handler")
	}
	return r.update(func(n *routes) error {
		if _, ok := n.handlers[event]; ok {
			return fmt.Errorf("%s: %w", event, ErrTaken)
		}
		n.handlers[event] = h
		return nil
	})
}

// Remove takes the handler of an event away.
func (r *Router) Remove(event string) error {
	return r.update(func(n *routes) error {
		delete(n.handlers, event)
		return nil
	})
}

func (r *Router) update(fn func(*routes) error) error {
	for {
		old := r.cur.Load()
		next := old.clone()
		if err := fn(next); err != nil {
			return err
		}
		if r.cur.CompareAndSwap(old, next) {
			return nil
		}
	}
}

// Deliver hands a webhook to its handler.
func (r *Router) Deliver(event string, body []byte) error {
	set := r.cur.Load()
	h, ok := set.handlers[event]
	if !ok {
		h = set.fallback
	}
	if h == nil {
		return fmt.Errorf("no handler for %s", event)
	}
	if err := h(body); err != nil {
		return fmt.Errorf("%s: %w", event, err)
	}
	r.delivered.Add(1)
	return nil
}

// Delivered counts the webhooks that were processed.
func (r *Router) Delivered() uint64 { return r.delivered.Load() }
