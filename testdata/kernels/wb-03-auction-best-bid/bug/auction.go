// Package auction finds the best bid for each lot.
package auction

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrTooLow = errors.New("auction: bid is not higher than the best one")
	ErrNoLot  = errors.New("auction: no such lot")
)

// Bid is an offer. It is not changed after it was made.
type Bid struct {
	Bidder string
	Amount int64
}

// Auction sells one lot.
type Auction struct {
	reserve int64
	best    atomic.Pointer[Bid]
	refused atomic.Int64
}

// Bid makes an offer.
func (a *Auction) Bid(bidder string, amount int64) error {
	if amount < a.reserve {
		a.refused.Add(1)
		return ErrTooLow
	}
	cur := a.best.Load()
	if cur != nil && amount <= cur.Amount {
		a.refused.Add(1)
		return ErrTooLow
	}
	b := &Bid{Bidder: bidder, Amount: amount}
	for !a.best.CompareAndSwap(cur, b) {
		cur = a.best.Load()
	}
	return nil
}

// Best returns the best bid so far.
func (a *Auction) Best() (Bid, bool) {
	if b := a.best.Load(); b != nil {
		return *b, true
	}
	return Bid{}, false
}

// House runs several auctions. The lots do not change after NewHouse.
type House struct {
	lots map[string]*Auction
}

// NewHouse opens an auction for each reserve price.
func NewHouse(reserves map[string]int64) *House {
	h := &House{lots: make(map[string]*Auction, len(reserves))}
	for lot, reserve := range reserves {
		h.lots[lot] = &Auction{reserve: reserve}
	}
	return h
}

// Order is a bid that came over the wire.
type Order struct {
	Lot string
	Bid
	Reply chan<- error
}

// Run works on orders until the channel is closed.
func (h *House) Run(orders <-chan Order, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for o := range orders {
				a, ok := h.lots[o.Lot]
				if !ok {
					o.Reply <- ErrNoLot
					continue
				}
				o.Reply <- a.Bid(o.Bidder, o.Amount)
			}
		}()
	}
	wg.Wait()
}
