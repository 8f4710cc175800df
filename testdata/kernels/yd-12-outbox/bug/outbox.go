// Package outbox hands domain events of the payment service to the message
// bus. Producers add events, one relay delivers them.
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Event is one entry of the outbox.
type Event struct {
	ID      int64
	Kind    string
	Payload json.RawMessage
	Created time.Time
}

// Outbox holds events until they are delivered. It is safe for concurrent use.
type Outbox struct {
	lastID atomic.Int64

	mu     sync.RWMutex
	events []Event

	wake chan struct{}
}

// New returns an empty outbox.
func New() *Outbox {
	return &Outbox{wake: make(chan struct{}, 1)}
}

// Add queues an event and returns its ID.
func (o *Outbox) Add(kind string, body any) (int64, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return 0, fmt.Errorf("outbox: %s: %w", kind, err)
	}
	ev := Event{
		ID:      o.lastID.Add(1),
		Kind:    kind,
		Payload: payload,
		Created: time.Now(),
	}
	o.mu.Lock()
	o.events = append(o.events, ev)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return ev.ID, nil
}

// After returns up to limit events with an ID above cursor.
func (o *Outbox) After(cursor int64, limit int) []Event {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var out []Event
	for _, ev := range o.events {
		if ev.ID <= cursor {
			continue
		}
		out = append(out, ev)
		if len(out) == limit {
			break
		}
	}
	return out
}

// Trim forgets the events up to and including cursor.
func (o *Outbox) Trim(cursor int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := make([]Event, 0, len(o.events))
	for _, ev := range o.events {
		if ev.ID > cursor {
			kept = append(kept, ev)
		}
	}
	o.events = kept
}

// Len returns the number of events held.
func (o *Outbox) Len() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return len(o.events)
}

// Bus is the message bus.
type Bus interface {
	Publish(ctx context.Context, ev Event) error
}

// Relay delivers the events of an outbox. There is one relay per outbox.
type Relay struct {
	box    *Outbox
	bus    Bus
	cursor int64 // ID of the last event delivered
}

// NewRelay returns a relay from box to bus.
func NewRelay(box *Outbox, bus Bus) *Relay {
	return &Relay{box: box, bus: bus}
}

// Run delivers events until ctx ends. It is started once.
func (r *Relay) Run(ctx context.Context) {
	poll := time.NewTicker(time.Second)
	defer poll.Stop()
	for {
		if err := r.drain(ctx); err != nil {
			slog.Warn("outbox: delivery failed", "cursor", r.cursor, "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.box.wake:
		case <-poll.C:
		}
	}
}

// drain delivers what is in the outbox.
func (r *Relay) drain(ctx context.Context) error {
	for {
		batch := r.box.After(r.cursor, 64)
		if len(batch) == 0 {
			return nil
		}
		for _, ev := range batch {
			if err := r.bus.Publish(ctx, ev); err != nil {
				return err
			}
			r.cursor = ev.ID
		}
		r.box.Trim(r.cursor)
	}
}
