// Package auction passes the bids of a livestock auction on to the screens in
// the hall and to bidders at home.
package auction

import (
	"context"
	"errors"
	"sync"
)

// ErrLagged says that a screen has been too slow; it should follow again from
// the last bid it has shown.
var ErrLagged = errors.New("auction: too far behind")

// Bid is one bid. Seq counts the bids of an auction from 1 without holes.
type Bid struct {
	Seq    uint64
	Lot    int
	Bidder string
	Euros  int
}

// tap is one listener's supply of new bids.
type tap struct {
	c      chan Bid // closed when it overflows
	closed bool
}

// Auction keeps all bids of the day and passes new ones on. It is safe for
// concurrent use.
type Auction struct {
	buffer int

	mu   sync.Mutex
	bids []Bid // bids[i].Seq == i+1
	taps map[*tap]struct{}
}

// New returns an auction whose listeners may be behind by buffer bids.
func New(buffer int) *Auction {
	return &Auction{buffer: max(buffer, 1), taps: make(map[*tap]struct{})}
}

// Place records a bid and passes it on.
func (a *Auction) Place(lot int, bidder string, euros int) Bid {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := Bid{Seq: uint64(len(a.bids)) + 1, Lot: lot, Bidder: bidder, Euros: euros}
	a.bids = append(a.bids, b)
	for t := range a.taps {
		select {
		case t.c <- b:
		default:
			a.shut(t)
		}
	}
	return b
}

// attach adds a tap, into which all bids from now on go.
func (a *Auction) attach() *tap {
	t := &tap{c: make(chan Bid, a.buffer)}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taps[t] = struct{}{}
	return t
}

// detach removes a tap.
func (a *Auction) detach(t *tap) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shut(t)
}

// shut removes a tap and closes it. The caller holds a.mu.
func (a *Auction) shut(t *tap) {
	if t.closed {
		return
	}
	t.closed = true
	delete(a.taps, t)
	close(t.c)
}

// after returns a copy of the bids after seq.
func (a *Auction) after(seq uint64) []Bid {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq >= uint64(len(a.bids)) {
		return nil
	}
	return append([]Bid(nil), a.bids[seq:]...)
}

// Follow calls show with every bid after seq, each once and in order, until
// ctx ends, show fails, or the listener is too slow.
func (a *Auction) Follow(ctx context.Context, seq uint64, show func(Bid) error) error {
	t := a.attach()
	defer a.detach(t)

	for _, b := range a.after(seq) {
		if err := show(b); err != nil {
			return err
		}
		seq = b.Seq
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, ok := <-t.c:
			if !ok {
				return ErrLagged
			}
			if b.Seq <= seq {
				continue
			}
			if err := show(b); err != nil {
				return err
			}
			seq = b.Seq
		}
	}
}

// Count returns the number of bids so far.
func (a *Auction) Count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.bids)
}

// Best returns the highest bid on a lot, the earliest of equal ones.
func (a *Auction) Best(lot int) (Bid, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var best Bid
	for _, b := range a.bids {
		if b.Lot == lot && b.Euros > best.Euros {
			best = b
		}
	}
	return best, best.Seq != 0
}
