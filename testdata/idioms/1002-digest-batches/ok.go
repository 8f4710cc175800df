// Package digest groups the notifications of a user into one mail.
package digest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned for notifications that come after Close.
var ErrClosed = errors.New("digest: closed")

// Item is one notification.
type Item struct {
	At   time.Time
	Text string
}

// Mailer sends a digest.
type Mailer interface {
	Send(ctx context.Context, user string, items []Item) error
}

type batch struct {
	items []Item
	timer *time.Timer
}

// Digester is safe for concurrent use.
type Digester struct {
	mailer  Mailer
	window  time.Duration
	timeout time.Duration
	sending sync.WaitGroup

	mu      sync.Mutex
	batches map[string]*batch
	closed  bool
}

// New returns a digester that waits for window after a user's first
// notification before it sends the mail.
func New(m Mailer, window, timeout time.Duration) *Digester {
	return &Digester{mailer: m, window: window, timeout: timeout, batches: make(map[string]*batch)}
}

// Add puts a notification into the user's next digest.
func (d *Digester) Add(user string, it Item) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.put(user, it)
	return nil
}

// put starts the timer with the first item. The caller holds d.mu.
func (d *Digester) put(user string, items ...Item) {
	b := d.batches[user]
	if b == nil {
		b = &batch{}
		d.batches[user] = b
		if !d.closed {
			b.timer = time.AfterFunc(d.window, func() { d.flush(user) })
		}
	}
	b.items = append(b.items, items...)
}

// take detaches the user's batch for sending.
func (d *Digester) take(user string) []Item {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.batches[user]
	if d.closed || b == nil {
		return nil
	}
	delete(d.batches, user)
	d.sending.Add(1)
	return b.items
}

// flush runs when a batch's timer fires.
func (d *Digester) flush(user string) {
	items := d.take(user)
	if items == nil {
		return
	}
	defer d.sending.Done()
	ctx, cancel := context.WithTimeout(context.Background(), d.timeout)
	defer cancel()
	if err := d.send(ctx, user, items); err != nil {
		slog.Warn("digest: will retry", "user", user, "err", err)
		d.mu.Lock()
		d.put(user, items...)
		d.mu.Unlock()
	}
}

func (d *Digester) send(ctx context.Context, user string, items []Item) error {
	slices.SortStableFunc(items, func(a, b Item) int { return a.At.Compare(b.At) })
	return d.mailer.Send(ctx, user, items)
}

// Pending returns the number of users with a digest to come.
func (d *Digester) Pending() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.batches)
}

// Close sends all digests at once and reports those that failed.
func (d *Digester) Close(ctx context.Context) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	for _, b := range d.batches {
		b.timer.Stop()
	}
	d.mu.Unlock()

	// What is being sent right now comes back if it fails.
	d.sending.Wait()

	d.mu.Lock()
	rest := d.batches
	d.batches = make(map[string]*batch)
	d.mu.Unlock()
	var errs []error
	for user, b := range rest {
		errs = append(errs, d.send(ctx, user, b.items))
	}
	return errors.Join(errs...)
}
