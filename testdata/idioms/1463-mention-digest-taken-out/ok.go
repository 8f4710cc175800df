package a

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Mailer sends a mail.
type Mailer interface {
	Send(ctx context.Context, to, subject string) error
}

// counts says how often a user was mentioned in each channel.
type counts map[string]int

// Digest tells users from time to time how often they were mentioned, instead
// of sending a mail every time.
type Digest struct {
	mail Mailer

	sync.Mutex
	open map[string]counts
}

func New(m Mailer) *Digest {
	return &Digest{mail: m, open: make(map[string]counts)}
}

// add books mentions; the caller holds the lock.
func (d *Digest) add(user, channel string, n int) {
	c, ok := d.open[user]
	if !ok {
		c = make(counts)
		d.open[user] = c
	}
	c[channel] += n
}

// Posted looks for mentions in a message.
func (d *Digest) Posted(channel, text string) {
	for word := range strings.FieldsSeq(text) {
		if user, ok := strings.CutPrefix(word, "@"); ok && user != "" {
			d.Lock()
			d.add(user, channel, 1)
			d.Unlock()
		}
	}
}

func (d *Digest) takeAll() map[string]counts {
	d.Lock()
	defer d.Unlock()
	out := d.open
	d.open = make(map[string]counts, len(out))
	return out
}

func (d *Digest) putBack(user string, c counts) {
	d.Lock()
	defer d.Unlock()
	for channel, n := range c {
		d.add(user, channel, n)
	}
}

func subject(c counts) string {
	total := 0
	for _, n := range c {
		total += n
	}
	return fmt.Sprintf("%d mentions in %d channels", total, len(c))
}

// Flush sends what is open. What cannot be sent stays open.
func (d *Digest) Flush(ctx context.Context) (sent int) {
	for user, c := range d.takeAll() {
		if err := d.mail.Send(ctx, user, subject(c)); err != nil {
			log.Printf("digest for %s: %v", user, err)
			d.putBack(user, c)
			continue
		}
		sent++
	}
	return sent
}

// Run flushes until ctx ends.
func (d *Digest) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			log.Printf("digest: %d mails", d.Flush(ctx))
		}
	}
}

// ServeHTTP flushes at once.
func (d *Digest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, d.Flush(r.Context()))
}
