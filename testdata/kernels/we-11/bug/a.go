// Package a runs the lots of an online auction. Bids come in from many
// connections and are booked by one clerk, which also writes the journal.
package a

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrNoLot  = errors.New("auction: no such lot")
	ErrClosed = errors.New("auction: lot is closed")
	ErrTooLow = errors.New("auction: bid is too low")
)

// Lot is an item under the hammer. Its price only goes up.
type Lot struct {
	Price  int64
	Step   int64
	Leader string
	Closed bool
}

// accepts reports whether a bid may replace the current one.
func (l *Lot) accepts(amount int64) error {
	if l.Closed {
		return ErrClosed
	}
	if amount < l.Price+l.Step {
		return ErrTooLow
	}
	return nil
}

// bid travels from the connection to the clerk.
type bid struct {
	lot    string
	bidder string
	amount int64
	booked chan error // holds one
}

// House is the auction house.
type House struct {
	journal func(lot, bidder string, amount int64)
	desk    chan bid

	mu   sync.Mutex
	lots map[string]*Lot
}

// NewHouse returns a house that writes every booked bid to journal.
func NewHouse(journal func(lot, bidder string, amount int64)) *House {
	return &House{journal: journal, desk: make(chan bid), lots: make(map[string]*Lot)}
}

// Offer opens a lot; an id that is in use is left alone.
func (h *House) Offer(id string, start, step int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.lots[id]; ok {
		return false
	}
	h.lots[id] = &Lot{Price: start, Step: step}
	return true
}

// screen turns away the bids that cannot win.
func (h *House) screen(b bid) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.lots[b.lot]
	if !ok {
		return ErrNoLot
	}
	return l.accepts(b.amount)
}

// Bid places a bid and waits until the clerk has booked it. When ctx ends
// first, the bid may still count.
func (h *House) Bid(ctx context.Context, lot, bidder string, amount int64) error {
	b := bid{lot: lot, bidder: bidder, amount: amount, booked: make(chan error, 1)}
	if err := h.screen(b); err != nil {
		return err
	}
	select {
	case h.desk <- b:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-b.booked:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Clerk books bids until ctx ends. One clerk runs per house.
func (h *House) Clerk(ctx context.Context) {
	for {
		select {
		case b := <-h.desk:
			err := h.book(b)
			if err == nil {
				h.journal(b.lot, b.bidder, b.amount)
			}
			b.booked <- err
		case <-ctx.Done():
			return
		}
	}
}

// book makes b the leading bid of its lot.
func (h *House) book(b bid) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.lots[b.lot]
	if !ok {
		return ErrNoLot
	}
	l.Price = b.amount
	l.Leader = b.bidder
	return nil
}

// Close ends the bidding on a lot and returns its final state.
func (h *House) Close(id string) (Lot, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.lots[id]
	if !ok {
		return Lot{}, ErrNoLot
	}
	l.Closed = true
	return *l, nil
}
