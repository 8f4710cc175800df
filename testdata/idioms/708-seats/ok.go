// Package seats sells seats of trains.
package seats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Errors of bookings.
var (
	ErrNoSeat  = errors.New("seats: sold out")
	ErrBooking = errors.New("seats: booking is not open")
)

type phase int

const (
	open phase = iota
	paying
	paid
)

type booking struct {
	id    string
	seats []int
	phase phase
	until time.Time
}

// Till charges customers.
type Till interface {
	Charge(ctx context.Context, booking string, seats int) error
}

// Train has numbered seats.
type Train struct {
	till Till
	ttl  time.Duration

	mu       sync.Mutex
	free     []int
	bookings map[string]*booking
	seq      int
}

// NewTrain returns a train of n seats.
func NewTrain(till Till, n int, ttl time.Duration) *Train {
	t := &Train{till: till, ttl: ttl, bookings: make(map[string]*booking)}
	for i := n; i > 0; i-- {
		t.free = append(t.free, i)
	}
	return t
}

// Available returns the number of free seats.
func (t *Train) Available() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.free)
}

// Reserve opens a booking of n seats.
func (t *Train) Reserve(n int) (string, error) {
	if t.Available() < n {
		return "", ErrNoSeat
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) < n {
		return "", ErrNoSeat
	}
	cut := len(t.free) - n
	t.seq++
	b := &booking{id: strconv.Itoa(t.seq), seats: append([]int(nil), t.free[cut:]...), until: time.Now().Add(t.ttl)}
	t.free = t.free[:cut]
	t.bookings[b.id] = b
	return b.id, nil
}

func (t *Train) claim(id string) (*booking, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok := t.bookings[id]
	if !ok || b.phase != open || time.Now().After(b.until) {
		return nil, fmt.Errorf("%w: %s", ErrBooking, id)
	}
	b.phase = paying
	return b, nil
}

func (t *Train) conclude(b *booking, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		b.phase = paid
		return
	}
	b.phase = open
	b.until = time.Now().Add(t.ttl)
}

// Checkout pays a booking and returns its seats.
func (t *Train) Checkout(ctx context.Context, id string) ([]int, error) {
	b, err := t.claim(id)
	if err != nil {
		return nil, err
	}
	err = t.till.Charge(ctx, id, len(b.seats))
	t.conclude(b, err == nil)
	if err != nil {
		return nil, fmt.Errorf("seats: charge: %w", err)
	}
	return append([]int(nil), b.seats...), nil
}

// drop is called with t.mu held.
func (t *Train) drop(b *booking) {
	t.free = append(t.free, b.seats...)
	delete(t.bookings, b.id)
}

// Cancel gives the seats of an open booking back.
func (t *Train) Cancel(id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok := t.bookings[id]
	if !ok || b.phase != open {
		return ErrBooking
	}
	t.drop(b)
	return nil
}

func (t *Train) stale(now time.Time) (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, b := range t.bookings {
		if b.phase == open && now.After(b.until) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (t *Train) expire(id string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok := t.bookings[id]
	if !ok || b.phase != open || !now.After(b.until) {
		return false
	}
	t.drop(b)
	return true
}

// Reap expires bookings until ctx is done; expired is told about each.
func (t *Train) Reap(ctx context.Context, every time.Duration, expired func(id string)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, id := range t.stale(now) {
				if t.expire(id, now) {
					expired(id)
				}
			}
		}
	}
}
