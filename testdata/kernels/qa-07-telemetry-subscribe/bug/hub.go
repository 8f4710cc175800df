// Package hub distributes decoded telemetry of a satellite pass to consoles.
package hub

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Sample is the value of a telemetry channel.
type Sample struct {
	Channel string
	Seq     uint32
	Value   float64
	At      time.Time
}

// Frame is what the decoder extracts from one transfer frame.
type Frame struct {
	VCID    uint8
	Samples []Sample
}

// ErrClosed is returned after the end of the pass.
var ErrClosed = errors.New("hub: pass is over")

// lastValues keeps the newest sample of each channel; limit checkers read it
// as well.
type lastValues struct {
	sync.RWMutex
	m map[string]Sample
}

func (l *lastValues) put(s Sample) {
	l.Lock()
	defer l.Unlock()
	l.m[s.Channel] = s
}

func (l *lastValues) get(channel string) (Sample, bool) {
	l.RLock()
	defer l.RUnlock()
	s, ok := l.m[channel]
	return s, ok
}

func (l *lastValues) all() []Sample {
	l.RLock()
	defer l.RUnlock()
	out := make([]Sample, 0, len(l.m))
	for _, s := range l.m {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Sample) int { return cmp.Compare(a.Channel, b.Channel) })
	return out
}

// Console is a subscription.
type Console struct {
	name string
	out  chan Sample
	lost int
}

// C delivers the samples; it is closed at the end of the pass.
func (c *Console) C() <-chan Sample { return c.out }

// Hub connects one decoder with any number of consoles.
type Hub struct {
	last lastValues
	log  *slog.Logger

	mu       sync.Mutex
	consoles map[*Console]struct{}
	closed   bool
}

// New returns a hub for a pass.
func New(log *slog.Logger) *Hub {
	return &Hub{log: log, last: lastValues{m: make(map[string]Sample)}, consoles: make(map[*Console]struct{})}
}

// Last returns the newest sample of a channel.
func (h *Hub) Last(channel string) (Sample, bool) { return h.last.get(channel) }

// Publish records a sample and hands it to the consoles.
func (h *Hub) Publish(s Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last.put(s)
	for c := range h.consoles {
		select {
		case c.out <- s:
		default:
			c.lost++
		}
	}
}

// Subscribe connects a console. It gets the current value of every channel,
// then each change: many channels are sent by the spacecraft on change only.
func (h *Hub) Subscribe(name string, buffer int) (*Console, error) {
	current := h.last.all()
	c := &Console{name: name, out: make(chan Sample, buffer+len(current))}
	for _, s := range current {
		c.out <- s
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	h.consoles[c] = struct{}{}
	h.log.Info("console connected", "name", name, "channels", len(current))
	return c, nil
}

// Unsubscribe disconnects a console.
func (h *Hub) Unsubscribe(c *Console) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.consoles[c]; ok {
		delete(h.consoles, c)
		close(c.out)
		h.log.Info("console gone", "name", c.name, "lost", c.lost)
	}
}

func (h *Hub) shutdown() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for c := range h.consoles {
		delete(h.consoles, c)
		close(c.out)
	}
}

// Run publishes the frames of the decoder until the pass is over.
func (h *Hub) Run(ctx context.Context, frames <-chan Frame) error {
	defer h.shutdown()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f, ok := <-frames:
			if !ok {
				return nil
			}
			for _, s := range f.Samples {
				h.Publish(s)
			}
		}
	}
}
