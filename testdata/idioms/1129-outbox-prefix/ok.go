// Correct: flushing is held from the copy to the cut, and only its holder takes
// from the front of pending. Enqueue adds at the end only, so the first n are
// still the n that were sent, and what came meanwhile stays.

// Package ok is the outbox of a replication link.
package ok

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrFull   = errors.New("outbox: full")
	ErrClosed = errors.New("outbox: closed")
)

// Change is one replicated write.
type Change struct {
	Key   string
	Value []byte
}

// Link sends changes, in order, all or none.
type Link interface {
	Send(ctx context.Context, batch []Change) error
}

// Outbox holds what the peer has not acknowledged.
type Outbox struct {
	link  Link
	limit int

	flushing sync.Mutex

	mu      sync.Mutex
	pending []Change
	closed  bool
	sent    int
}

func New(l Link, limit int) *Outbox { return &Outbox{link: l, limit: limit} }

// Enqueue adds a change.
func (o *Outbox) Enqueue(c Change) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return ErrClosed
	case len(o.pending) >= o.limit:
		return ErrFull
	}
	o.pending = append(o.pending, c)
	return nil
}

func (o *Outbox) peek(max int) []Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(len(o.pending), max)
	return append([]Change(nil), o.pending[:n]...)
}

func (o *Outbox) discard(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append([]Change(nil), o.pending[n:]...)
	o.sent += n
}

// Flush sends what is pending. After an error the rest stays for later.
func (o *Outbox) Flush(ctx context.Context) error {
	o.flushing.Lock()
	defer o.flushing.Unlock()
	for {
		batch := o.peek(256)
		if len(batch) == 0 {
			return nil
		}
		if err := o.link.Send(ctx, batch); err != nil {
			return err
		}
		o.discard(len(batch))
	}
}

// Run flushes periodically.
func (o *Outbox) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = o.Flush(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Close refuses further changes and sends the rest.
func (o *Outbox) Close(ctx context.Context) error {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	return o.Flush(ctx)
}

// Sent is the number of changes acknowledged.
func (o *Outbox) Sent() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent
}
