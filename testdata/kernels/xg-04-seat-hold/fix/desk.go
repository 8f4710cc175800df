// Package boxoffice sells numbered seats. A customer first holds a seat, which
// gives them some minutes to pay, and then confirms it.
package boxoffice

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Errors returned by a Desk.
var (
	ErrTaken   = errors.New("boxoffice: seat is taken")
	ErrNoHold  = errors.New("boxoffice: no such hold")
	ErrUnknown = errors.New("boxoffice: no such seat")
)

type claim struct {
	customer string
	sold     bool
	timer    *time.Timer
}

// Notifier tells a customer what became of a hold.
type Notifier interface {
	HoldLapsed(customer, seat string)
}

// Desk sells the seats of one performance. It is safe for concurrent use.
type Desk struct {
	plan   map[string]bool // all seats; never changes
	ttl    time.Duration
	notify Notifier

	mu     sync.Mutex
	claims map[string]*claim // by seat; no entry means free
}

// NewDesk opens a desk for the seats given.
func NewDesk(seats []string, ttl time.Duration, n Notifier) *Desk {
	d := &Desk{
		plan:   make(map[string]bool, len(seats)),
		ttl:    ttl,
		notify: n,
		claims: make(map[string]*claim),
	}
	for _, s := range seats {
		d.plan[s] = true
	}
	return d
}

// Hold keeps a seat for the customer until it is confirmed, cancelled, or the
// time is up.
func (d *Desk) Hold(seat, customer string) (deadline time.Time, err error) {
	if !d.plan[seat] {
		return time.Time{}, ErrUnknown
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.claims[seat] != nil {
		return time.Time{}, ErrTaken
	}
	c := &claim{customer: customer}
	c.timer = time.AfterFunc(d.ttl, func() { d.lapse(seat, c) })
	d.claims[seat] = c
	return time.Now().Add(d.ttl), nil
}

// Confirm turns a hold into a sale.
func (d *Desk) Confirm(seat, customer string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.claims[seat]
	if c == nil || c.customer != customer || c.sold {
		return ErrNoHold
	}
	c.sold = true
	c.timer.Stop()
	return nil
}

// Cancel gives up a hold.
func (d *Desk) Cancel(seat, customer string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.claims[seat]
	if c == nil || c.customer != customer || c.sold {
		return ErrNoHold
	}
	c.timer.Stop()
	delete(d.claims, seat)
	return nil
}

// lapse runs when the time of a hold is up.
func (d *Desk) lapse(seat string, c *claim) {
	d.mu.Lock()
	live := d.claims[seat] == c && !c.sold
	if live {
		delete(d.claims, seat)
	}
	d.mu.Unlock()
	if live {
		d.notify.HoldLapsed(c.customer, seat)
	}
}

// Free lists the seats that can be held now.
func (d *Desk) Free() []string {
	d.mu.Lock()
	var out []string
	for s := range d.plan {
		if d.claims[s] == nil {
			out = append(out, s)
		}
	}
	d.mu.Unlock()
	slices.Sort(out)
	return out
}
