package a

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

type Event struct {
	At    time.Time
	Title string
}

type Mailer interface {
	Send(ctx context.Context, to, subject, body string) error
}

type Digest struct {
	mailer Mailer

	mu      sync.Mutex
	pending map[string][]Event
	total   int
	sent    int
}

func NewDigest(m Mailer) *Digest {
	return &Digest{mailer: m, pending: make(map[string][]Event)}
}

func (d *Digest) Add(user string, ev Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending[user] = append(d.pending[user], ev)
	d.total++
}

func (d *Digest) takeAll() map[string][]Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	batch := d.pending
	d.pending = make(map[string][]Event, len(batch))
	d.total = 0
	return batch
}

func (d *Digest) putBack(user string, evs []Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending[user] = append(evs, d.pending[user]...)
	d.total += len(evs)
}

func render(evs []Event) string {
	slices.SortStableFunc(evs, func(a, b Event) int { return a.At.Compare(b.At) })
	var sb strings.Builder
	for _, ev := range evs {
		fmt.Fprintf(&sb, "%s  %s\n", ev.At.Format(time.Kitchen), ev.Title)
	}
	return sb.String()
}

// Run sends what has been collected; what could not be sent waits for the
// next run.
func (d *Digest) Run(ctx context.Context) (failed int) {
	batch := d.takeAll()
	done := 0
	for user, evs := range batch {
		subject := fmt.Sprintf("%d news for you", len(evs))
		if err := d.mailer.Send(ctx, user, subject, render(evs)); err != nil {
			d.putBack(user, evs)
			failed++
			continue
		}
		done++
	}
	d.mu.Lock()
	d.sent += done
	d.mu.Unlock()
	return failed
}

func (d *Digest) Stats() (waiting, sent int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.total, d.sent
}
