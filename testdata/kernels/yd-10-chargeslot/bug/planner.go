// Package charging books time slots at EV charging stations.
package charging

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrTaken is returned when the slot belongs to another booking.
	ErrTaken = errors.New("charging: slot taken")
	// ErrUnknown is returned for a booking that does not exist.
	ErrUnknown = errors.New("charging: unknown booking")
)

// Slot is one hour at one charging point.
type Slot struct {
	Point string
	Hour  int64 // hours since the epoch
}

// Booking is a driver's claim on a slot.
type Booking struct {
	ID     string
	Driver string
	Slot   Slot
}

type plan struct {
	nextID   int
	slots    map[Slot]string // booking that holds the slot
	bookings map[string]Booking
}

// Planner holds all bookings. The API handlers use it concurrently.
type Planner struct {
	mu   sync.Mutex
	plan plan
}

// NewPlanner returns a planner without bookings.
func NewPlanner() *Planner {
	return &Planner{plan: plan{slots: make(map[Slot]string), bookings: make(map[string]Booking)}}
}

// update runs change on the plan under the lock.
func (p *Planner) update(change func(*plan) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return change(&p.plan)
}

// Book claims slot for driver.
func (p *Planner) Book(driver string, slot Slot) (b Booking, err error) {
	err = p.update(func(pl *plan) error {
		if _, taken := pl.slots[slot]; taken {
			return ErrTaken
		}
		pl.nextID++
		b = Booking{ID: fmt.Sprintf("C%06d", pl.nextID), Driver: driver, Slot: slot}
		pl.bookings[b.ID] = b
		pl.slots[slot] = b.ID
		return nil
	})
	return b, err
}

// Cancel gives the booking up.
func (p *Planner) Cancel(id string) error {
	_, err := p.withdraw(id)
	return err
}

// Move changes the booking to another slot. When that slot is taken the
// booking stays as it is.
func (p *Planner) Move(id string, to Slot) error {
	old, err := p.withdraw(id)
	if err != nil {
		return err
	}
	moved := old
	moved.Slot = to
	if err := p.claim(moved); err != nil {
		p.reinstate(old)
		return err
	}
	return nil
}

// withdraw removes the booking and frees its slot.
func (p *Planner) withdraw(id string) (b Booking, err error) {
	err = p.update(func(pl *plan) error {
		var ok bool
		if b, ok = pl.bookings[id]; !ok {
			return ErrUnknown
		}
		delete(pl.bookings, id)
		delete(pl.slots, b.Slot)
		return nil
	})
	return b, err
}

// claim enters the booking if its slot is free.
func (p *Planner) claim(b Booking) error {
	return p.update(func(pl *plan) error {
		if _, taken := pl.slots[b.Slot]; taken {
			return ErrTaken
		}
		pl.bookings[b.ID] = b
		pl.slots[b.Slot] = b.ID
		return nil
	})
}

// reinstate enters the booking as it was.
func (p *Planner) reinstate(b Booking) {
	p.update(func(pl *plan) error {
		pl.bookings[b.ID] = b
		pl.slots[b.Slot] = b.ID
		return nil
	})
}

// Holder returns the booking that holds slot.
func (p *Planner) Holder(slot Slot) (b Booking, err error) {
	err = p.update(func(pl *plan) error {
		id, ok := pl.slots[slot]
		if !ok {
			return ErrUnknown
		}
		b = pl.bookings[id]
		return nil
	})
	return b, err
}
