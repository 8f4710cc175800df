// Package auction takes bids on lots and sells them when their time is up.
package auction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrNoLot  = errors.New("auction: no such lot")
	ErrClosed = errors.New("auction: closed")
	ErrTooLow = errors.New("auction: bid too low")
	ErrExists = errors.New("auction: lot exists")
)

// Bid is an offer for a lot.
type Bid struct {
	Bidder string
	Cents  int64
	At     time.Time
}

// Sales writes sales to the book.
type Sales interface {
	Sold(ctx context.Context, lot string, b Bid) error
	Unsold(ctx context.Context, lot string) error
}

type auction struct {
	lot     string
	reserve int64
	step    int64

	mu     sync.Mutex
	best   *Bid
	closed bool
}

func (a *auction) place(b Bid) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return fmt.Errorf("%w: %s", ErrClosed, a.lot)
	}
	need := a.reserve
	if a.best != nil {
		need = a.best.Cents + a.step
	}
	if b.Cents < need {
		return fmt.Errorf("%w: %s needs %d", ErrTooLow, a.lot, need)
	}
	a.best = &b
	return nil
}

// close stops the auction and returns the best bid. No bid is accepted
// afterwards.
func (a *auction) close() (Bid, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.best == nil {
		return Bid{}, false
	}
	return *a.best, true
}

// House runs the auctions.
type House struct {
	sales Sales
	step  int64

	mu   sync.RWMutex
	lots map[string]*auction
}

// NewHouse returns a house whose bids rise by at least step cents.
func NewHouse(s Sales, step int64) *House {
	return &House{sales: s, step: max(step, 1), lots: make(map[string]*auction)}
}

// Start opens the auction of a lot for d.
func (h *House) Start(lot string, reserve int64, d time.Duration) error {
	a := &auction{lot: lot, reserve: reserve, step: h.step}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.lots[lot]; ok {
		return fmt.Errorf("%w: %s", ErrExists, lot)
	}
	h.lots[lot] = a
	time.AfterFunc(d, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.settle(ctx, a); err != nil {
			slog.Error("lot not settled", "lot", lot, "err", err)
		}
	})
	return nil
}

// Bid places a bid; nil means that it leads.
func (h *House) Bid(lot, bidder string, cents int64) error {
	h.mu.RLock()
	a, ok := h.lots[lot]
	h.mu.RUnlock()
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoLot, lot)
	}
	return a.place(Bid{Bidder: bidder, Cents: cents, At: time.Now()})
}

// settle is called by the lot's timer, once.
func (h *House) settle(ctx context.Context, a *auction) error {
	best, sold := a.close()
	var err error
	if sold {
		err = h.sales.Sold(ctx, a.lot, best)
	} else {
		err = h.sales.Unsold(ctx, a.lot)
	}
	return err
}
