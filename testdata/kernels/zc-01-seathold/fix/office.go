// Package booking sells the numbered seats of one event. A customer first
// puts a short hold on a seat and then pays for it.
package booking

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrSeatTaken   = errors.New("booking: seat is sold or on hold")
	ErrHoldExpired = errors.New("booking: hold has expired")
	ErrInPayment   = errors.New("booking: hold is being paid")
)

// Gateway charges cards. Charge may take several seconds.
type Gateway interface {
	Charge(ctx context.Context, card string, cents int64) (ref string, err error)
}

// Hold keeps a seat off sale for one customer until Until.
type Hold struct {
	ID       string
	Seat     int
	Customer string
	Until    time.Time

	paying bool // a payment is under way; the hold does not lapse
}

// Ticket is the proof of a sold seat.
type Ticket struct {
	Seat     int
	Customer string
	Payment  string
}

// Office is the box office of one event. It is safe for concurrent use.
type Office struct {
	gate  Gateway
	price int64
	ttl   time.Duration

	mu     sync.Mutex
	nextID int
	holds  map[string]*Hold
	bySeat map[int]*Hold
	sold   map[int]Ticket
}

// NewOffice returns an office that sells seats for price cents and keeps
// holds for ttl.
func NewOffice(gate Gateway, price int64, ttl time.Duration) *Office {
	return &Office{
		gate:   gate,
		price:  price,
		ttl:    ttl,
		holds:  make(map[string]*Hold),
		bySeat: make(map[int]*Hold),
		sold:   make(map[int]Ticket),
	}
}

// PlaceHold takes seat off sale for customer.
func (o *Office) PlaceHold(seat int, customer string) (Hold, error) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.sold[seat]; ok {
		return Hold{}, ErrSeatTaken
	}
	if old, ok := o.bySeat[seat]; ok {
		if !o.lapsedLocked(old, now) {
			return Hold{}, ErrSeatTaken
		}
		o.dropLocked(old)
	}
	o.nextID++
	h := &Hold{
		ID:       fmt.Sprintf("h-%06d", o.nextID),
		Seat:     seat,
		Customer: customer,
		Until:    now.Add(o.ttl),
	}
	o.holds[h.ID] = h
	o.bySeat[seat] = h
	return *h, nil
}

// Checkout pays for a held seat and returns the ticket.
func (o *Office) Checkout(ctx context.Context, holdID, card string) (Ticket, error) {
	h, err := o.beginPayment(holdID)
	if err != nil {
		return Ticket{}, err
	}
	ref, err := o.gate.Charge(ctx, card, o.price)
	if err != nil {
		o.abortPayment(h)
		return Ticket{}, fmt.Errorf("booking: seat %d: %w", h.Seat, err)
	}
	return o.issue(h, ref), nil
}

// beginPayment returns the hold with the given ID if it is still good, and
// keeps it from lapsing until issue or abortPayment.
func (o *Office) beginPayment(id string) (*Hold, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h, ok := o.holds[id]
	if !ok || o.lapsedLocked(h, time.Now()) {
		return nil, ErrHoldExpired
	}
	if h.paying {
		return nil, ErrInPayment
	}
	h.paying = true
	return h, nil
}

// abortPayment makes h an ordinary hold again.
func (o *Office) abortPayment(h *Hold) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h.paying = false
}

// issue turns a paid hold into a ticket.
func (o *Office) issue(h *Hold, ref string) Ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := Ticket{Seat: h.Seat, Customer: h.Customer, Payment: ref}
	o.dropLocked(h)
	o.sold[h.Seat] = t
	return t
}

// lapsedLocked reports whether h no longer keeps its seat off sale.
func (o *Office) lapsedLocked(h *Hold, now time.Time) bool {
	return !h.paying && now.After(h.Until)
}

func (o *Office) dropLocked(h *Hold) {
	delete(o.holds, h.ID)
	if o.bySeat[h.Seat] == h {
		delete(o.bySeat, h.Seat)
	}
}

// Sold returns the number of tickets issued.
func (o *Office) Sold() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sold)
}

// Sweep puts the seats of lapsed holds back on sale every interval until ctx
// ends.
func (o *Office) Sweep(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			o.mu.Lock()
			for _, h := range o.holds {
				if o.lapsedLocked(h, now) {
					o.dropLocked(h)
				}
			}
			o.mu.Unlock()
		}
	}
}
