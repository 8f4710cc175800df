// Package registry is the in-process half of service discovery: agents
// register endpoints, and client-side balancers watch the services they call.
package registry

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned by Next of a closed watcher.
var ErrClosed = errors.New("registry: watcher closed")

// Endpoint is one instance of a service.
type Endpoint struct {
	ID   string
	Addr string
}

// Kind says what happened to an endpoint.
type Kind int

// The kinds of events.
const (
	Added Kind = iota
	Removed
)

// Event is one change of a service.
type Event struct {
	Kind     Kind
	Endpoint Endpoint
}

// lease is an endpoint with the time until which its agent vouches for it.
type lease struct {
	endpoint Endpoint
	expires  time.Time
}

// Registry holds the endpoints of all services. It is safe for concurrent use.
type Registry struct {
	ttl time.Duration

	mu       sync.Mutex
	services map[string]map[string]*lease
	watchers map[string][]*Watcher
}

// New returns an empty registry whose leases live for ttl.
func New(ttl time.Duration) *Registry {
	return &Registry{
		ttl:      ttl,
		services: make(map[string]map[string]*lease),
		watchers: make(map[string][]*Watcher),
	}
}

// Register adds an endpoint or extends its lease.
func (r *Registry) Register(service string, ep Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	leases := r.services[service]
	if leases == nil {
		leases = make(map[string]*lease)
		r.services[service] = leases
	}
	old, known := leases[ep.ID]
	leases[ep.ID] = &lease{endpoint: ep, expires: time.Now().Add(r.ttl)}
	if known && old.endpoint == ep {
		return
	}
	r.publishLocked(service, Event{Kind: Added, Endpoint: ep})
}

// Deregister removes an endpoint.
func (r *Registry) Deregister(service, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removeLocked(service, id)
}

// Expire removes the endpoints whose agents are silent.
func (r *Registry) Expire(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for service, leases := range r.services {
		for id, l := range leases {
			if now.After(l.expires) {
				r.removeLocked(service, id)
			}
		}
	}
}

func (r *Registry) removeLocked(service, id string) {
	l, ok := r.services[service][id]
	if !ok {
		return
	}
	delete(r.services[service], id)
	r.publishLocked(service, Event{Kind: Removed, Endpoint: l.endpoint})
}

func (r *Registry) publishLocked(service string, ev Event) {
	for _, w := range r.watchers[service] {
		w.push(ev)
	}
}

// Endpoints returns the present endpoints of a service.
func (r *Registry) Endpoints(service string) []Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Endpoint, 0, len(r.services[service]))
	for _, l := range r.services[service] {
		out = append(out, l.endpoint)
	}
	return out
}

// Watch follows a service. The watcher first gets the present endpoints as
// added, then every change.
func (r *Registry) Watch(service string) *Watcher {
	w := &Watcher{reg: r, service: service, ready: make(chan struct{}, 1)}
	r.attach(w)
	return w
}

// attach gives w the present endpoints and enters it for what follows.
func (r *Registry) attach(w *Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.services[w.service] {
		w.push(Event{Kind: Added, Endpoint: l.endpoint})
	}
	r.watchers[w.service] = append(r.watchers[w.service], w)
}

func (r *Registry) detach(w *Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.watchers[w.service]
	if i := slices.Index(list, w); i >= 0 {
		r.watchers[w.service] = slices.Delete(list, i, i+1)
	}
}

// Watcher is a queue of the events of one service.
type Watcher struct {
	reg     *Registry
	service string
	ready   chan struct{}

	mu     sync.Mutex
	queue  []Event
	closed bool
}

func (w *Watcher) push(ev Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, ev)
	w.signal()
}

// signal wakes Next; the token stays until Next takes it.
func (w *Watcher) signal() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Next returns the events since the last call and waits for one if there is
// none. One goroutine calls it.
func (w *Watcher) Next(ctx context.Context) ([]Event, error) {
	for {
		events, closed := w.take()
		switch {
		case len(events) > 0:
			return events, nil
		case closed:
			return nil, ErrClosed
		}
		select {
		case <-w.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (w *Watcher) take() ([]Event, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.queue
	w.queue = nil
	return events, w.closed
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.reg.detach(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
}
