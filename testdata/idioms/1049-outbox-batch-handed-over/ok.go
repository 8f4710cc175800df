// Package outbox collects events and sends them in batches.
package outbox

import (
	"context"
	"sync"
	"time"
)

// Event is sent at least once and in no particular order, receivers look at
// ID and At.
type Event struct {
	ID   string
	At   time.Time
	Body []byte
}

// Sender sends a batch and returns the events it could not send.
type Sender interface {
	Send(ctx context.Context, batch []Event) (failed []Event)
}

// Outbox buffers events.
type Outbox struct {
	sender Sender
	limit  int
	kick   chan struct{}

	mu  sync.Mutex
	buf []Event
}

// New returns an outbox which sends as soon as limit events have gathered.
func New(s Sender, limit int) *Outbox {
	return &Outbox{sender: s, limit: limit, kick: make(chan struct{}, 1)}
}

// Add queues an event.
func (o *Outbox) Add(e Event) {
	o.mu.Lock()
	o.buf = append(o.buf, e)
	n := len(o.buf)
	o.mu.Unlock()
	if n >= o.limit {
		select {
		case o.kick <- struct{}{}:
		default: // Run has been told
		}
	}
}

// take empties the buffer.
func (o *Outbox) take() []Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.buf
	o.buf = nil
	return b
}

func (o *Outbox) putBack(events []Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, events...)
}

// Flush sends what is queued and returns how many events got out.
func (o *Outbox) Flush(ctx context.Context) int {
	batch := o.take()
	if len(batch) == 0 {
		return 0
	}
	n := len(batch)
	failed := o.sender.Send(ctx, batch)
	if len(failed) > 0 {
		o.putBack(failed)
	}
	return n - len(failed)
}

// Run flushes every interval and when the buffer is full, until ctx ends.
func (o *Outbox) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-o.kick:
		}
		o.Flush(ctx)
	}
}

// Queued returns the number of events in the buffer.
func (o *Outbox) Queued() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.buf)
}
