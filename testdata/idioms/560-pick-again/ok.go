// Package router sends messages over the outlet that the present policy picks.
package router

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrClosed is returned by a closed router.
	ErrClosed = errors.New("router is closed")
	// ErrNoOutlet is returned by a Policy that wants to be replaced first.
	ErrNoOutlet = errors.New("no outlet available")
)

// Stream is what an outlet sends with. Send fails if the stream has ended.
type Stream interface {
	Send(ctx context.Context, msg []byte) error
}

// Outlet is a way out. Its stream comes and goes.
type Outlet struct {
	Name string

	mu     sync.Mutex
	stream Stream // nil unless the outlet is ready
}

// SetStream is called when the outlet gets ready, with nil when it breaks. The
// policy is exchanged after that.
func (o *Outlet) SetStream(s Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stream = s
}

func (o *Outlet) ready() Stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stream
}

// Policy picks outlets. A policy is made for a set of ready outlets and is
// replaced when that set changes.
type Policy interface {
	Pick() (*Outlet, error)
}

// RoundRobin is a policy that takes the outlets in turn.
type RoundRobin struct {
	outlets []*Outlet
	next    atomic.Uint64
}

// NewRoundRobin returns a policy for the outlets that are ready now.
func NewRoundRobin(all []*Outlet) *RoundRobin {
	p := &RoundRobin{}
	for _, o := range all {
		if o.ready() != nil {
			p.outlets = append(p.outlets, o)
		}
	}
	return p
}

// Pick returns the next outlet.
func (p *RoundRobin) Pick() (*Outlet, error) {
	if len(p.outlets) == 0 {
		return nil, ErrNoOutlet
	}
	return p.outlets[(p.next.Add(1)-1)%uint64(len(p.outlets))], nil
}

// generation is a policy and the signal that there is a newer one.
type generation struct {
	policy     Policy // nil before the first one
	superseded chan struct{}
}

// Router sends messages.
type Router struct {
	gen atomic.Pointer[generation] // nil when the router is closed
}

// New returns a router without policy.
func New() *Router {
	r := &Router{}
	r.gen.Store(&generation{superseded: make(chan struct{})})
	return r
}

// SetPolicy exchanges the policy. It must not be called after Close.
func (r *Router) SetPolicy(p Policy) {
	old := r.gen.Swap(&generation{policy: p, superseded: make(chan struct{})})
	close(old.superseded)
}

// Close makes the callers of Send return. It must be called once.
func (r *Router) Close() {
	old := r.gen.Swap(nil)
	close(old.superseded)
}

// pick returns the stream of an outlet that was ready a moment ago. It waits
// for a policy if needed.
func (r *Router) pick(ctx context.Context) (Stream, error) {
	var tried chan struct{} // of the generation that had no outlet
	for {
		g := r.gen.Load()
		if g == nil {
			return nil, ErrClosed
		}
		if g.policy == nil {
			tried = g.superseded
		}
		if tried == g.superseded {
			select {
			case <-tried:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		tried = g.superseded

		o, err := g.policy.Pick()
		if errors.Is(err, ErrNoOutlet) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if s := o.ready(); s != nil {
			return s, nil
		}
		// The outlet has broken since the policy was made, so there will be
		// another policy soon.
	}
}

// Send sends msg. A stream that ends in between fails the call; it is for the
// caller to know whether the message may be sent twice.
func (r *Router) Send(ctx context.Context, msg []byte) error {
	s, err := r.pick(ctx)
	if err != nil {
		return err
	}
	return s.Send(ctx, msg)
}
