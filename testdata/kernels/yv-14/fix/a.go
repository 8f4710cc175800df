package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrNoCall = errors.New("call: no such call")

type Packet struct {
	From    string
	Payload []byte
}

// A Mixer returns an error when written to after Close.
type Mixer interface {
	Write(Packet) error
	Close() error
}

type MixerFactory func(callID string) Mixer

// Call is a conference that exists as long as somebody takes part in it.
type Call struct {
	ID    string
	mixer Mixer
	legs  atomic.Int32

	once sync.Once
}

func (c *Call) shut() {
	c.once.Do(func() { _ = c.mixer.Close() })
}

// Registry knows the calls in progress.
type Registry struct {
	mu    sync.Mutex
	calls map[string]*Call
	mix   MixerFactory
}

func NewRegistry(mix MixerFactory) *Registry {
	return &Registry{calls: make(map[string]*Call), mix: mix}
}

func (r *Registry) lookup(id string) (*Call, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.calls[id]
	return c, ok
}

// Join adds a leg to the call, which is set up for the first one.
func (r *Registry) Join(id string) *Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.calls[id]
	if !ok {
		c = &Call{ID: id, mixer: r.mix(id)}
		r.calls[id] = c
	}
	c.legs.Add(1)
	return c
}

// Leave removes a leg; the last one tears the call down.
func (r *Registry) Leave(c *Call) {
	r.mu.Lock()
	last := c.legs.Add(-1) == 0
	if last {
		delete(r.calls, c.ID)
	}
	r.mu.Unlock()
	if last {
		c.shut()
	}
}

func (r *Registry) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// Serve is run for every leg (one RTP socket each) until the leg hangs up.
func (r *Registry) Serve(ctx context.Context, id string, rtp <-chan Packet) error {
	c := r.Join(id)
	defer r.Leave(c)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p, ok := <-rtp:
			if !ok {
				return nil
			}
			if err := c.mixer.Write(p); err != nil {
				return err
			}
		}
	}
}

// Announce plays something into a running call.
func (r *Registry) Announce(id string, audio []byte) error {
	c, ok := r.lookup(id)
	if !ok {
		return ErrNoCall
	}
	return c.mixer.Write(Packet{From: "system", Payload: audio})
}
