// Package holds keeps short-lived reservations of seats while a customer is
// in checkout.
package holds

import (
	"errors"
	"sync"
	"time"
)

// Errors returned by Board.
var (
	ErrHeld    = errors.New("holds: seat is held by another customer")
	ErrSold    = errors.New("holds: seat is sold")
	ErrNotHeld = errors.New("holds: seat is not held by customer")
)

type hold struct {
	customer string
	until    time.Time
	timer    *time.Timer
}

// Board is the seat map of one event.
type Board struct {
	ttl    time.Duration
	onFree func(seat string)

	mu    sync.Mutex
	seats map[string]*hold
	sold  map[string]string
}

// NewBoard returns a board whose holds lapse after ttl. onFree, if not nil, is
// called whenever a seat becomes available again.
func NewBoard(ttl time.Duration, onFree func(seat string)) *Board {
	if onFree == nil {
		onFree = func(string) {}
	}
	return &Board{
		ttl:    ttl,
		onFree: onFree,
		seats:  make(map[string]*hold),
		sold:   make(map[string]string),
	}
}

// Hold reserves seat for customer, or extends the reservation the customer
// already has. It returns the time at which the hold lapses.
func (b *Board) Hold(seat, customer string) (time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.sold[seat]; ok {
		return time.Time{}, ErrSold
	}
	if h, ok := b.seats[seat]; ok {
		if h.customer != customer {
			return time.Time{}, ErrHeld
		}
		h.timer.Stop()
	}
	h := &hold{customer: customer, until: time.Now().Add(b.ttl)}
	h.timer = time.AfterFunc(b.ttl, func() { b.expire(seat) })
	b.seats[seat] = h
	return h.until, nil
}

// Release gives the seat back before the hold lapses.
func (b *Board) Release(seat, customer string) error {
	b.mu.Lock()
	h, ok := b.seats[seat]
	if !ok || h.customer != customer {
		b.mu.Unlock()
		return ErrNotHeld
	}
	h.timer.Stop()
	delete(b.seats, seat)
	b.mu.Unlock()

	b.onFree(seat)
	return nil
}

// Confirm turns a hold into a sale.
func (b *Board) Confirm(seat, customer string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.seats[seat]
	if !ok || h.customer != customer {
		return ErrNotHeld
	}
	h.timer.Stop()
	delete(b.seats, seat)
	b.sold[seat] = customer
	return nil
}

// expire runs from the hold's timer.
func (b *Board) expire(seat string) {
	b.mu.Lock()
	if _, ok := b.seats[seat]; !ok {
		b.mu.Unlock()
		return
	}
	delete(b.seats, seat)
	b.mu.Unlock()

	b.onFree(seat)
}

// Available reports whether seat can be held right now.
func (b *Board) Available(seat string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, held := b.seats[seat]
	_, sold := b.sold[seat]
	return !held && !sold
}
