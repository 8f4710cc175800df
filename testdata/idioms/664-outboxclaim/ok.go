// Package outbox sends stored mail at least once.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// ErrDuplicate is returned for an id that is in the outbox.
var ErrDuplicate = errors.New("outbox: duplicate id")

type state uint8

const (
	waiting state = iota
	sending
	sent
	dead
)

const maxAttempts = 8

type row struct {
	id      string
	rcpt    string
	body    []byte
	state   state
	attempt int
	due     time.Time // when waiting: not before; when sending: end of lease
}

// Sender delivers one mail.
type Sender func(ctx context.Context, rcpt string, body []byte) error

// Outbox holds rows until they have been sent or given up. A mail whose sender
// is slower than the lease may be sent twice.
type Outbox struct {
	send  Sender
	lease time.Duration

	mu   sync.Mutex
	rows map[string]*row
}

// New returns an empty outbox.
func New(s Sender, lease time.Duration) *Outbox {
	return &Outbox{send: s, lease: lease, rows: make(map[string]*row)}
}

// Add stores a mail.
func (o *Outbox) Add(id, rcpt string, body []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.rows[id]; ok {
		return ErrDuplicate
	}
	o.rows[id] = &row{id: id, rcpt: rcpt, body: body}
	return nil
}

// claim returns a copy of a row that is due.
func (o *Outbox) claim() (row, bool) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if (r.state == waiting || r.state == sending) && !now.Before(r.due) {
			r.state = sending
			r.attempt++
			r.due = now.Add(o.lease)
			return *r, true
		}
	}
	return row{}, false
}

func (o *Outbox) report(c row, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r, ok := o.rows[c.id]
	if !ok || r.state != sending || r.attempt != c.attempt {
		return
	}
	switch {
	case err == nil:
		r.state = sent
		r.body = nil
	case r.attempt >= maxAttempts:
		r.state = dead
	default:
		r.state = waiting
		r.due = time.Now().Add(time.Second << r.attempt)
	}
}

// Work sends due mail until ctx ends; several workers may run.
func (o *Outbox) Work(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			for ctx.Err() == nil {
				c, ok := o.claim()
				if !ok {
					break
				}
				err := o.send(ctx, c.rcpt, c.body)
				if err != nil {
					slog.Warn("send failed", "id", c.id, "attempt", c.attempt, "err", err)
				}
				o.report(c, err)
			}
		}
	}
}

// Purge forgets rows that are finished.
func (o *Outbox) Purge() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, r := range o.rows {
		if r.state == sent || r.state == dead {
			delete(o.rows, id)
			n++
		}
	}
	return n
}
