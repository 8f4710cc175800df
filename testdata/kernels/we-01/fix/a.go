// Package a keeps the meeting-room calendar of an office building.
package a

import (
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrBadSlot = errors.New("calendar: slot ends before it starts")
	ErrNoRoom  = errors.New("calendar: unknown room")
	ErrTaken   = errors.New("calendar: room is taken")
)

// Slot is a half-open interval [From, To).
type Slot struct {
	From, To time.Time
}

func (s Slot) overlaps(o Slot) bool {
	return s.From.Before(o.To) && o.From.Before(s.To)
}

// Booking is one confirmed reservation.
type Booking struct {
	ID    int64
	Owner string
	Slot  Slot
}

// Calendar holds the bookings of all rooms. Bookings of one room never
// overlap, and are kept in order of their start.
type Calendar struct {
	mu     sync.RWMutex
	nextID int64
	rooms  map[string][]Booking
}

// NewCalendar returns an empty calendar for the named rooms.
func NewCalendar(rooms ...string) *Calendar {
	c := &Calendar{rooms: make(map[string][]Booking, len(rooms))}
	for _, r := range rooms {
		c.rooms[r] = nil
	}
	return c
}

// Conflict returns the first booking of room that overlaps s, if any.
func (c *Calendar) Conflict(room string, s Slot) (Booking, bool, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.conflictLocked(room, s)
}

// conflictLocked is Conflict for callers that hold c.mu.
func (c *Calendar) conflictLocked(room string, s Slot) (Booking, bool, error) {
	list, ok := c.rooms[room]
	if !ok {
		return Booking{}, false, ErrNoRoom
	}
	for _, b := range list {
		if b.Slot.overlaps(s) {
			return b, true, nil
		}
	}
	return Booking{}, false, nil
}

// Reserve books room for owner and returns the number of the booking.
func (c *Calendar) Reserve(room, owner string, s Slot) (int64, error) {
	if !s.From.Before(s.To) {
		return 0, ErrBadSlot
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	_, taken, err := c.conflictLocked(room, s)
	if err != nil {
		return 0, err
	}
	if taken {
		return 0, ErrTaken
	}
	c.nextID++
	b := Booking{ID: c.nextID, Owner: owner, Slot: s}
	list := append(c.rooms[room], b)
	slices.SortFunc(list, func(x, y Booking) int { return x.Slot.From.Compare(y.Slot.From) })
	c.rooms[room] = list
	return b.ID, nil
}

// Cancel removes a booking and reports whether it was there.
func (c *Calendar) Cancel(room string, id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.rooms[room]
	i := slices.IndexFunc(list, func(b Booking) bool { return b.ID == id })
	if i < 0 {
		return false
	}
	c.rooms[room] = slices.Delete(list, i, i+1)
	return true
}

// Agenda returns a copy of the bookings of room that end after t.
func (c *Calendar) Agenda(room string, t time.Time) []Booking {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []Booking
	for _, b := range c.rooms[room] {
		if b.Slot.To.After(t) {
			out = append(out, b)
		}
	}
	return out
}
