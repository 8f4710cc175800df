// Package digest collects notifications and mails them in batches.
package digest

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Note is one notification.
type Note struct {
	To, Text string
}

// Mailer sends one mail with several notes to one recipient.
type Mailer interface {
	Send(ctx context.Context, to string, notes []Note) error
}

// Digest is the outbox of the notification service.
type Digest struct {
	mailer Mailer
	gather time.Duration
	wake   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	pending map[string][]Note
}

// Start runs a digest until ctx ends.
func Start(ctx context.Context, m Mailer, gather time.Duration) *Digest {
	d := &Digest{
		mailer:  m,
		gather:  gather,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		pending: make(map[string][]Note),
	}
	go d.loop(ctx)
	return d
}

// Add queues a note.
func (d *Digest) Add(n Note) {
	d.mu.Lock()
	d.pending[n.To] = append(d.pending[n.To], n)
	d.mu.Unlock()
	d.poke()
}

func (d *Digest) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Done is closed when the digest has stopped.
func (d *Digest) Done() <-chan struct{} { return d.done }

func (d *Digest) empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending) == 0
}

func (d *Digest) take() map[string][]Note {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pending
	d.pending = make(map[string][]Note)
	return p
}

func (d *Digest) putBack(to string, notes []Note) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending[to] = append(notes, d.pending[to]...)
}

func (d *Digest) loop(ctx context.Context) {
	defer close(d.done)
	for {
		for d.empty() {
			select {
			case <-d.wake:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-time.After(d.gather):
		case <-ctx.Done():
			return
		}
		for to, notes := range d.take() {
			if err := d.mailer.Send(ctx, to, notes); err != nil {
				slog.Warn("digest not sent", "to", to, "notes", len(notes), "err", err)
				d.putBack(to, notes)
			}
		}
	}
}
