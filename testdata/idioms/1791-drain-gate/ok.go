// Package a delivers webhooks in the background and lets a shutdown wait for
// those under way.
package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrShutdown is returned once the dispatcher takes no more deliveries.
var ErrShutdown = errors.New("webhooks: shutting down")

// Delivery is one call to a customer's endpoint.
type Delivery struct {
	URL  string
	Body []byte
}

// Sender does the HTTP request.
type Sender func(context.Context, Delivery) error

// Dispatcher runs each delivery in its own goroutine, a limited number at a
// time.
type Dispatcher struct {
	send  Sender
	slots chan struct{}

	draining atomic.Bool // spares the lock once it is set; never cleared

	mu       sync.Mutex
	closed   bool
	inFlight sync.WaitGroup // Add under mu while not closed

	sent   atomic.Int64
	failed atomic.Int64
}

// NewDispatcher returns a dispatcher with the given number of parallel sends.
func NewDispatcher(send Sender, parallel int) *Dispatcher {
	return &Dispatcher{send: send, slots: make(chan struct{}, max(parallel, 1))}
}

// Submit starts a delivery.
func (d *Dispatcher) Submit(ctx context.Context, v Delivery) error {
	if d.draining.Load() {
		return ErrShutdown
	}
	if !d.enter() {
		return ErrShutdown
	}
	go d.deliver(context.WithoutCancel(ctx), v)
	return nil
}

// enter counts a delivery in, unless the gate is closed.
func (d *Dispatcher) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.inFlight.Add(1)
	return true
}

func (d *Dispatcher) deliver(ctx context.Context, v Delivery) {
	defer d.inFlight.Done()
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	if err := d.send(ctx, v); err != nil {
		d.failed.Add(1)
		return
	}
	d.sent.Add(1)
}

// Shutdown refuses new deliveries and waits for those that were accepted. It
// may be called from several places; each call waits.
func (d *Dispatcher) Shutdown() {
	d.draining.Store(true)
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.inFlight.Wait()
}

// Sent returns the number of deliveries that succeeded.
func (d *Dispatcher) Sent() int64 { return d.sent.Load() }

// Failed returns the number of deliveries that did not.
func (d *Dispatcher) Failed() int64 { return d.failed.Load() }
