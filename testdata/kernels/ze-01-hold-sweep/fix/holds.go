// Package holds keeps the temporary seat holds of a box office: a patron who
// opens the seating plan gets the seats for a few minutes, and has to confirm
// before the hold runs out.
package holds

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors returned by a Desk.
var (
	ErrNoHold   = errors.New("holds: no such hold")
	ErrSeatHeld = errors.New("holds: seat is not free")
	ErrExists   = errors.New("holds: hold id in use")
)

// hold is one patron's claim on some seats.
type hold struct {
	seats   []string
	expires time.Time
}

// Desk owns the seats of one performance. Its methods may be called from any
// number of request handlers at the same time.
type Desk struct {
	now func() time.Time

	mu    sync.RWMutex
	holds map[string]*hold
	owner map[string]string // seat -> hold id
	sold  map[string]string // seat -> order number
}

// NewDesk returns a desk with all seats free. A nil clock means time.Now.
func NewDesk(clock func() time.Time) *Desk {
	if clock == nil {
		clock = time.Now
	}
	return &Desk{
		now:   clock,
		holds: make(map[string]*hold),
		owner: make(map[string]string),
		sold:  make(map[string]string),
	}
}

// Place holds the seats under the given id for ttl. Either all of the seats
// are held or none.
func (d *Desk) Place(id string, seats []string, ttl time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, dup := d.holds[id]; dup {
		return ErrExists
	}
	for _, s := range seats {
		if _, held := d.owner[s]; held {
			return fmt.Errorf("%w: %s", ErrSeatHeld, s)
		}
		if _, gone := d.sold[s]; gone {
			return fmt.Errorf("%w: %s", ErrSeatHeld, s)
		}
	}
	h := &hold{seats: append([]string(nil), seats...), expires: d.now().Add(ttl)}
	for _, s := range h.seats {
		d.owner[s] = id
	}
	d.holds[id] = h
	return nil
}

// Extend gives the patron another ttl from now on and returns the new
// deadline. A hold whose time is up can be extended for as long as it has not
// been swept: the page refreshes in the background and is often a little late.
func (d *Desk) Extend(id string, ttl time.Duration) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[id]
	if !ok {
		return time.Time{}, ErrNoHold
	}
	h.expires = d.now().Add(ttl)
	return h.expires, nil
}

// Confirm turns the hold into a sale.
func (d *Desk) Confirm(id, order string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[id]
	if !ok {
		return nil, ErrNoHold
	}
	delete(d.holds, id)
	for _, s := range h.seats {
		delete(d.owner, s)
		d.sold[s] = order
	}
	return h.seats, nil
}

// Release gives the seats of a hold back, as when the patron leaves the page.
func (d *Desk) Release(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[id]
	if !ok {
		return ErrNoHold
	}
	d.drop(id, h)
	return nil
}

// drop forgets a hold and frees its seats. The caller holds d.mu.
func (d *Desk) drop(id string, h *hold) {
	delete(d.holds, id)
	for _, s := range h.seats {
		delete(d.owner, s)
	}
}

// overdue returns the ids of the holds whose deadline lies before t.
func (d *Desk) overdue(t time.Time) []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var ids []string
	for id, h := range d.holds {
		if h.expires.Before(t) {
			ids = append(ids, id)
		}
	}
	return ids
}

// sweep frees the seats of the holds that have run out and returns how many
// there were.
func (d *Desk) sweep() int {
	n := 0
	now := d.now()
	for _, id := range d.overdue(now) {
		if d.releaseOverdue(id, now) {
			n++
		}
	}
	return n
}

// releaseOverdue gives the seats of a hold back if its deadline still lies
// before t, and tells whether it did.
func (d *Desk) releaseOverdue(id string, t time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[id]
	if !ok || !h.expires.Before(t) {
		return false
	}
	d.drop(id, h)
	return true
}

// Run sweeps once every interval until ctx ends. report, if not nil, is told
// about every sweep that freed something.
func (d *Desk) Run(ctx context.Context, interval time.Duration, report func(int)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if n := d.sweep(); n > 0 && report != nil {
				report(n)
			}
		}
	}
}
