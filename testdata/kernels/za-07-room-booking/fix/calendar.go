// Package rooms books meeting rooms. Bookings of a room never overlap.
package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Errors returned by the calendar.
var (
	ErrTaken    = errors.New("rooms: the room is taken at that time")
	ErrNoRoom   = errors.New("rooms: no such room")
	ErrNotFound = errors.New("rooms: no such booking")
)

// Slot is a half-open interval of time.
type Slot struct {
	From, To time.Time
}

func (s Slot) overlaps(o Slot) bool {
	return s.From.Before(o.To) && o.From.Before(s.To)
}

// Booking is a slot of a room that belongs to somebody.
type Booking struct {
	ID    int
	Room  string
	Owner string
	Slot  Slot
	Price int
}

// Tariff prices a slot. The implementation asks the billing service.
type Tariff interface {
	Price(ctx context.Context, room, owner string, s Slot) (int, error)
}

// Calendar holds the bookings of one building. It is safe for concurrent
// use; a caller that cannot get in gives up when its context ends.
type Calendar struct {
	tariff Tariff
	gate   chan struct{} // holds a token while the fields below are in use

	rooms  map[string][]Booking
	nextID int
}

// NewCalendar returns a calendar for the named rooms.
func NewCalendar(tariff Tariff, rooms ...string) *Calendar {
	c := &Calendar{
		tariff: tariff,
		gate:   make(chan struct{}, 1),
		rooms:  make(map[string][]Booking, len(rooms)),
	}
	for _, r := range rooms {
		c.rooms[r] = nil
	}
	return c
}

func (c *Calendar) enter(ctx context.Context) error {
	select {
	case c.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Calendar) leave() { <-c.gate }

// conflict reports the error a booking of the slot would run into. The caller
// is inside the gate.
func (c *Calendar) conflict(room string, s Slot) error {
	list, ok := c.rooms[room]
	if !ok {
		return ErrNoRoom
	}
	for _, b := range list {
		if b.Slot.overlaps(s) {
			return ErrTaken
		}
	}
	return nil
}

// Available reports whether the room could be booked for the slot.
func (c *Calendar) Available(ctx context.Context, room string, s Slot) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.conflict(room, s)
}

// add stores the booking and gives it its number, unless the slot has been
// taken.
func (c *Calendar) add(ctx context.Context, b Booking) (Booking, error) {
	if err := c.enter(ctx); err != nil {
		return Booking{}, err
	}
	defer c.leave()
	if err := c.conflict(b.Room, b.Slot); err != nil {
		return Booking{}, err
	}
	c.nextID++
	b.ID = c.nextID
	c.rooms[b.Room] = append(c.rooms[b.Room], b)
	return b, nil
}

// Book reserves the room for owner. Prices are only asked for slots that can
// be booked, since the billing service logs every question as an offer.
func (c *Calendar) Book(ctx context.Context, room, owner string, s Slot) (Booking, error) {
	if !s.From.Before(s.To) {
		return Booking{}, fmt.Errorf("rooms: empty slot %v", s)
	}
	if err := c.Available(ctx, room, s); err != nil {
		return Booking{}, err
	}
	price, err := c.tariff.Price(ctx, room, owner, s)
	if err != nil {
		return Booking{}, fmt.Errorf("rooms: price: %w", err)
	}
	return c.add(ctx, Booking{Room: room, Owner: owner, Slot: s, Price: price})
}

// Cancel removes a booking of owner.
func (c *Calendar) Cancel(ctx context.Context, room string, id int, owner string) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	list := c.rooms[room]
	i := slices.IndexFunc(list, func(b Booking) bool { return b.ID == id && b.Owner == owner })
	if i < 0 {
		return ErrNotFound
	}
	c.rooms[room] = slices.Delete(list, i, i+1)
	return nil
}

// Day lists the bookings of the room that touch the given day.
func (c *Calendar) Day(ctx context.Context, room string, day time.Time) ([]Booking, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	var out []Booking
	whole := Slot{From: day, To: day.AddDate(0, 0, 1)}
	for _, b := range c.rooms[room] {
		if b.Slot.overlaps(whole) {
			out = append(out, b)
		}
	}
	return out, nil
}
