package a

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrTaken   = errors.New("seat already taken")
	ErrNoSeat  = errors.New("no such seat")
	ErrNoRef   = errors.New("no booking reference")
	ErrStopped = errors.New("sale is stopped")
)

type seat struct {
	holder string
	price  int64
}

// Pricer asks the yield management service; that takes a while.
type Pricer func(ctx context.Context, seat int, free int) (int64, error)

// Departure sells the seats of one train.
type Departure struct {
	price Pricer

	mu    sync.RWMutex
	seats map[int]*seat
	free  int
	open  bool
}

func NewDeparture(size int, price Pricer) *Departure {
	d := &Departure{price: price, seats: make(map[int]*seat, size), free: size, open: true}
	for s := 1; s <= size; s++ {
		d.seats[s] = new(seat)
	}
	return d
}

// available is called with d.mu held, for reading at least.
func (d *Departure) available(n int) error {
	s, ok := d.seats[n]
	switch {
	case !ok:
		return ErrNoSeat
	case !d.open:
		return ErrStopped
	case s.holder != "":
		return ErrTaken
	}
	return nil
}

// Reserve prices the seat and books it for ref.
func (d *Departure) Reserve(ctx context.Context, n int, ref string) (int64, error) {
	if ref == "" {
		return 0, ErrNoRef
	}
	d.mu.RLock()
	err := d.available(n)
	free := d.free
	d.mu.RUnlock()
	if err != nil {
		return 0, err // spares the call to the pricer
	}

	price, err := d.price(ctx, n, free)
	if err != nil {
		return 0, err
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.available(n); err != nil {
		return 0, err
	}
	s := d.seats[n]
	s.holder, s.price = ref, price
	d.free--
	return price, nil
}

// Cancel gives the seat back and returns what was paid.
func (d *Departure) Cancel(n int, ref string) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.seats[n]
	if !ok || ref == "" || s.holder != ref {
		return 0, ErrNoSeat
	}
	paid := s.price
	*s = seat{}
	d.free++
	return paid, nil
}

// Stop ends the sale.
func (d *Departure) Stop() {
	d.mu.Lock()
	d.open = false
	d.mu.Unlock()
}
