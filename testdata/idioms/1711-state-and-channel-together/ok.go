package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Phase is a step of a deployment.
type Phase int

// The phases in the order in which they are passed.
const (
	Queued Phase = iota
	Building
	Rolling
	Live
	Failed
)

// ErrFailed is returned by Await when the deployment fails.
var ErrFailed = errors.New("deploy: failed")

// Deployment is followed by the command line clients.
type Deployment struct {
	mu     sync.Mutex
	phase  Phase
	reason string
	next   chan struct{} // closed when the phase changes
}

// NewDeployment returns a queued deployment.
func NewDeployment() *Deployment {
	return &Deployment{next: make(chan struct{})}
}

// set changes the phase and wakes all waiters; the lock must be held.
func (d *Deployment) set(p Phase) {
	d.phase = p
	close(d.next)
	d.next = make(chan struct{})
}

// Advance moves on to a later phase.
func (d *Deployment) Advance(p Phase) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p <= d.phase || p >= Failed || d.phase == Failed {
		return fmt.Errorf("deploy: cannot go from %d to %d", d.phase, p)
	}
	d.set(p)
	return nil
}

// Fail ends the deployment unless it is over.
func (d *Deployment) Fail(reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.phase >= Live {
		return
	}
	d.reason = reason
	d.set(Failed)
}

func (d *Deployment) state() (Phase, string, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.phase, d.reason, d.next
}

// Await blocks until the deployment has reached phase p.
func (d *Deployment) Await(ctx context.Context, p Phase) error {
	for {
		cur, reason, next := d.state()
		switch {
		case cur == Failed:
			return fmt.Errorf("%w: %s", ErrFailed, reason)
		case cur >= p:
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
