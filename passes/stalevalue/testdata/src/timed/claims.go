package timed

import (
	"errors"
	"sync"
	"time"
)

var errSoon = errors.New("too soon")

type mailer interface{ Send(to string) error }

type source interface {
	Fetch(key string) (string, error)
}

// A Desk has time stamps that are claims: who finds an old one does what the next one need not do.
type Desk struct {
	mail mailer
	from source

	mu     sync.Mutex
	sent   map[string]time.Time
	seen   map[string]time.Time
	asked  time.Time
	until  time.Time
	looked time.Time
}

// Remind sends two mails, if two have found the old stamp.
func (d *Desk) Remind(to string) error {
	d.mu.Lock()
	last, ok := d.sent[to]
	d.mu.Unlock()
	if ok && time.Since(last) < time.Hour {
		return errSoon
	}
	d.mu.Lock()
	d.sent[to] = time.Now() // want `check-then-act: d.sent\[to\] was checked at line 33`
	d.mu.Unlock()
	return d.mail.Send(to)
}

// First tells two callers that they are the first.
func (d *Desk) First(id string) bool {
	d.mu.Lock()
	_, ok := d.seen[id]
	d.mu.Unlock()
	if ok {
		return false
	}
	d.mu.Lock()
	d.seen[id] = time.Now() // want `check-then-act: d.seen\[id\] was checked at line 47`
	d.mu.Unlock()
	return true
}

// Few lets more in than there is room for.
func (d *Desk) Few(id string) error {
	d.mu.Lock()
	n := len(d.seen)
	d.mu.Unlock()
	if n >= 10 {
		return errSoon
	}
	d.mu.Lock()
	d.seen[id] = time.Now() // want `check-then-act: d.seen was checked at line 61`
	d.mu.Unlock()
	return nil
}

func (d *Desk) Forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seen, id)
}

// May gives two callers their turn.
func (d *Desk) May() bool {
	d.mu.Lock()
	due := d.asked.Add(time.Minute).Before(time.Now())
	d.mu.Unlock()
	if !due {
		return false
	}
	d.mu.Lock()
	d.asked = time.Now() // want `check-then-act: d.asked was checked at line 81`
	d.mu.Unlock()
	return true
}

// Extend asks whether the time is not yet up. Two that extend it do no harm.
func (d *Desk) Extend() bool {
	d.mu.Lock()
	over := time.Now().After(d.until)
	d.mu.Unlock()
	if over {
		return false
	}
	d.mu.Lock()
	d.until = time.Now().Add(time.Minute)
	d.mu.Unlock()
	return true
}

// Refresh tells that the text can be fetched, by whomever.
func (d *Desk) Refresh() error {
	d.mu.Lock()
	young := time.Since(d.looked) < time.Minute
	d.mu.Unlock()
	if young {
		return errSoon
	}
	if _, err := d.from.Fetch("text"); err != nil {
		return err
	}
	d.mu.Lock()
	d.looked = time.Now()
	d.mu.Unlock()
	return nil
}

func (d *Desk) tooSoon(to string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	last, ok := d.sent[to]
	return ok && time.Since(last) < time.Hour
}

func (d *Desk) note(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent[to] = time.Now()
}

// Warn is Remind by helpers.
func (d *Desk) Warn(to string) error {
	if d.tooSoon(to) {
		return errSoon
	}
	d.note(to) // want `check-then-act: d.sent\[to\] was checked`
	return d.mail.Send(to)
}

func (d *Desk) over() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().After(d.until)
}

func (d *Desk) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = time.Now().Add(time.Minute)
}

// Prolong is Extend by helpers.
func (d *Desk) Prolong() bool {
	if d.over() {
		return false
	}
	d.extend()
	return true
}
