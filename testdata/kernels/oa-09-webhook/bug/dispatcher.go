// Package webhook delivers events to the endpoints of customers.
package webhook

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrGone is returned by a Poster when the endpoint was removed at the other side.
var ErrGone = errors.New("webhook: endpoint gone")

// Delivery is one event on its way.
type Delivery struct {
	Event   string
	Body    []byte
	Attempt int
}

// Poster sends one delivery.
type Poster func(ctx context.Context, url string, d Delivery) error

type endpoint struct {
	url  string
	post Poster
	base time.Duration
	max  int

	mu      sync.Mutex
	backlog []Delivery
	running bool
	gone    bool
	dead    []Delivery
}

// Dispatcher keeps the endpoints.
type Dispatcher struct {
	post Poster
	base time.Duration
	max  int

	mu        sync.RWMutex
	endpoints map[string]*endpoint
}

// Option changes a Dispatcher.
type Option func(*Dispatcher)

// WithBackoff sets the first pause between attempts.
func WithBackoff(d time.Duration) Option { return func(x *Dispatcher) { x.base = d } }

// WithMaxAttempts sets when a delivery is given up.
func WithMaxAttempts(n int) Option { return func(x *Dispatcher) { x.max = n } }

// New returns a dispatcher without endpoints.
func New(post Poster, opts ...Option) *Dispatcher {
	d := &Dispatcher{post: post, base: time.Second, max: 8, endpoints: make(map[string]*endpoint)}
	for _, o := range opts {
		o(d)
	}
	return d
}

func (d *Dispatcher) endpoint(url string) *endpoint {
	d.mu.RLock()
	ep := d.endpoints[url]
	d.mu.RUnlock()
	if ep != nil {
		return ep
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if ep = d.endpoints[url]; ep == nil {
		ep = &endpoint{url: url, post: d.post, base: d.base, max: d.max}
		d.endpoints[url] = ep
	}
	return ep
}

// Send queues an event for url and reports whether the endpoint still exists.
func (d *Dispatcher) Send(ctx context.Context, url, event string, body []byte) bool {
	return d.endpoint(url).push(ctx, Delivery{Event: event, Body: body})
}

func (e *endpoint) push(ctx context.Context, dl Delivery) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone {
		return false
	}
	e.backlog = append(e.backlog, dl)
	if !e.running {
		e.running = true
		go e.work(context.WithoutCancel(ctx))
	}
	return true
}

func (e *endpoint) pop() (Delivery, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.backlog) == 0 {
		return Delivery{}, false
	}
	dl := e.backlog[0]
	e.backlog = e.backlog[1:]
	return dl, true
}

func (e *endpoint) park() {
	e.mu.Lock()
	e.running = false
	e.mu.Unlock()
}

func (e *endpoint) work(ctx context.Context) {
	for {
		dl, ok := e.pop()
		if !ok {
			e.park()
			return
		}
		e.deliver(ctx, dl)
	}
}

func (e *endpoint) deliver(ctx context.Context, dl Delivery) {
	pause := e.base
	for {
		dl.Attempt++
		err := e.post(ctx, e.url, dl)
		switch {
		case err == nil:
			return
		case errors.Is(err, ErrGone):
			e.abandon(dl)
			return
		case dl.Attempt >= e.max:
			e.bury(dl)
			return
		}
		time.Sleep(pause)
		pause *= 2
	}
}

func (e *endpoint) bury(dl Delivery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = append(e.dead, dl)
}

func (e *endpoint) abandon(dl Delivery) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gone = true
	e.dead = append(e.dead, dl)
	e.dead = append(e.dead, e.backlog...)
	e.backlog = nil
}

// Dead takes the deliveries which were given up.
func (d *Dispatcher) Dead() []Delivery {
	d.mu.RLock()
	eps := make([]*endpoint, 0, len(d.endpoints))
	for _, ep := range d.endpoints {
		eps = append(eps, ep)
	}
	d.mu.RUnlock()
	var out []Delivery
	for _, ep := range eps {
		ep.mu.Lock()
		out = append(out, ep.dead...)
		ep.dead = nil
		ep.mu.Unlock()
	}
	return out
}
