// Package a sells the seats of concerts.
package a

import (
	"errors"
	"hash/maphash"
	"sync"
)

var (
	ErrNoEvent = errors.New("seats: no such event")
	ErrSoldOut = errors.New("seats: not enough seats")
	ErrRefund  = errors.New("seats: buyer has fewer seats")
)

// stripes serialise the work on one key without a lock for each key. Two keys
// may share a stripe, which only costs time.
type stripes struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// hold locks the stripe of key and returns the function that unlocks it.
func (s *stripes) hold(key string) (release func()) {
	l := &s.locks[maphash.String(s.seed, key)%uint64(len(s.locks))]
	l.Lock()
	return l.Unlock
}

// sale is how an event sells; its values are copied in and out of the table.
type sale struct {
	seats int
	sold  int
}

// Box is the box office. Whatever changes an event holds its stripe.
type Box struct {
	byEvent stripes
	sales   sync.Map // event (string) -> sale
	buyers  sync.Map // buyerKey -> int
}

type buyerKey struct{ event, buyer string }

// NewBox returns a box office without events.
func NewBox() *Box {
	return &Box{byEvent: stripes{seed: maphash.MakeSeed()}}
}

// Announce puts an event on sale; one that is on sale keeps its numbers.
func (b *Box) Announce(event string, seats int) bool {
	defer b.byEvent.hold(event)()
	_, loaded := b.sales.LoadOrStore(event, sale{seats: seats})
	return !loaded
}

func (b *Box) sale(event string) (sale, error) {
	v, ok := b.sales.Load(event)
	if !ok {
		return sale{}, ErrNoEvent
	}
	return v.(sale), nil
}

func (b *Box) owned(k buyerKey) int {
	v, ok := b.buyers.Load(k)
	if !ok {
		return 0
	}
	return v.(int)
}

// Buy sells n seats to buyer.
func (b *Box) Buy(event, buyer string, n uint8) error {
	defer b.byEvent.hold(event)()
	s, err := b.sale(event)
	if err != nil {
		return err
	}
	if s.sold+int(n) > s.seats {
		return ErrSoldOut
	}
	s.sold += int(n)
	k := buyerKey{event, buyer}
	b.sales.Store(event, s)
	b.buyers.Store(k, b.owned(k)+int(n))
	return nil
}

// Refund takes n seats back from buyer.
func (b *Box) Refund(event, buyer string, n uint8) error {
	defer b.byEvent.hold(event)()
	s, err := b.sale(event)
	if err != nil {
		return err
	}
	k := buyerKey{event, buyer}
	have := b.owned(k)
	if have < int(n) {
		return ErrRefund
	}
	s.sold -= int(n)
	b.buyers.Store(k, have-int(n))
	b.sales.Store(event, s)
	return nil
}

// Left returns the number of seats that are for sale.
func (b *Box) Left(event string) (int, error) {
	s, err := b.sale(event)
	return s.seats - s.sold, err
}

// Owned returns the number of seats that buyer has.
func (b *Box) Owned(event, buyer string) int {
	return b.owned(buyerKey{event, buyer})
}
