// Package booking gives out appointments.
package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

var (
	ErrNoGap    = errors.New("booking: no free time on that day")
	ErrUnknown  = errors.New("booking: unknown practitioner")
	ErrDeclined = errors.New("booking: confirmation declined")
)

type Appointment struct {
	Patient string
	From    time.Time
	To      time.Time
}

// calendar is ordered by From and does not overlap.
type calendar struct {
	entries []Appointment
}

func (c *calendar) gap(from, to time.Time, d time.Duration) (time.Time, bool) {
	at := from
	for _, e := range c.entries {
		if e.To.Before(at) {
			continue
		}
		if !e.From.Before(at.Add(d)) {
			break
		}
		at = e.To
	}
	return at, !at.Add(d).After(to)
}

func (c *calendar) insert(a Appointment) {
	i, _ := slices.BinarySearchFunc(c.entries, a, func(x, y Appointment) int { return x.From.Compare(y.From) })
	c.entries = slices.Insert(c.entries, i, a)
}

func (c *calendar) remove(a Appointment) {
	c.entries = slices.DeleteFunc(c.entries, func(x Appointment) bool {
		return x.Patient == a.Patient && x.From.Equal(a.From)
	})
}

// practitioner owns a calendar; sem holds one token, so that waiting for it can be
// given up with the request.
type practitioner struct {
	name string
	sem  chan struct{}
	cal  calendar
}

func (p *practitioner) visit(ctx context.Context, f func(c *calendar) error) error {
	select {
	case p.sem <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.sem }()
	return f(&p.cal)
}

// Mailer sends the confirmation to the patient.
type Mailer interface {
	Confirm(ctx context.Context, a Appointment) error
}

type Desk struct {
	mail   Mailer
	mu     sync.RWMutex
	people map[string]*practitioner
}

func NewDesk(m Mailer, names ...string) *Desk {
	d := &Desk{mail: m, people: make(map[string]*practitioner)}
	for _, n := range names {
		d.people[n] = &practitioner{name: n, sem: make(chan struct{}, 1)}
	}
	return d
}

func (d *Desk) lookup(name string) (*practitioner, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p := d.people[name]
	if p == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	return p, nil
}

// Book takes the first gap between from and to.
func (d *Desk) Book(ctx context.Context, name, patient string, from, to time.Time, length time.Duration) (Appointment, error) {
	p, err := d.lookup(name)
	if err != nil {
		return Appointment{}, err
	}
	var a Appointment
	err = p.visit(ctx, func(c *calendar) error {
		at, ok := c.gap(from, to, length)
		if !ok {
			return ErrNoGap
		}
		a = Appointment{Patient: patient, From: at, To: at.Add(length)}
		c.insert(a)
		return nil
	})
	if err != nil {
		return Appointment{}, err
	}
	if err := d.mail.Confirm(ctx, a); err != nil {
		undo := p.visit(context.WithoutCancel(ctx), func(c *calendar) error {
			c.remove(a)
			return nil
		})
		return Appointment{}, errors.Join(ErrDeclined, err, undo)
	}
	return a, nil
}

func (d *Desk) Cancel(ctx context.Context, name string, a Appointment) error {
	p, err := d.lookup(name)
	if err != nil {
		return err
	}
	return p.visit(ctx, func(c *calendar) error {
		c.remove(a)
		return nil
	})
}

func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	min, err := strconv.Atoi(r.FormValue("minutes"))
	if err != nil || min <= 0 {
		http.Error(w, "minutes", http.StatusBadRequest)
		return
	}
	from := time.Now().Truncate(time.Hour).Add(time.Hour)
	a, err := d.Book(r.Context(), r.FormValue("with"), r.FormValue("patient"), from, from.Add(8*time.Hour), time.Duration(min)*time.Minute)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintln(w, a.From.Format(time.RFC3339))
}
