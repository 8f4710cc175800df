// Package seats reserves seats of a performance.
package seats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of the reservation desk.
var (
	ErrTaken   = errors.New("seats: seat is taken")
	ErrExpired = errors.New("seats: hold expired")
)

// Payments moves money.
type Payments interface {
	Charge(ctx context.Context, customer string, cents int64) (ref string, err error)
	Refund(ctx context.Context, ref string) error
}

// Seat is a row and a number.
type Seat struct {
	Row string
	No  int
}

type seatState struct {
	hold  string
	buyer string
}

type hold struct {
	customer string
	seats    []Seat
	until    time.Time
}

// Hall is one performance.
type Hall struct {
	pay   Payments
	price int64
	now   func() time.Time

	mu    sync.Mutex
	seats map[Seat]*seatState
	holds map[string]*hold
	seq   int
}

// NewHall returns a hall with the given seats.
func NewHall(pay Payments, price int64, seats []Seat) *Hall {
	h := &Hall{pay: pay, price: price, now: time.Now, seats: make(map[Seat]*seatState), holds: make(map[string]*hold)}
	for _, s := range seats {
		h.seats[s] = &seatState{}
	}
	return h
}

func (h *Hall) locked(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
}

// Hold keeps seats for a customer while he pays.
func (h *Hall) Hold(customer string, want []Seat, ttl time.Duration) (id string, err error) {
	h.locked(func() {
		for _, s := range want {
			st, ok := h.seats[s]
			if !ok || st.hold != "" || st.buyer != "" {
				err = fmt.Errorf("%w: %s%d", ErrTaken, s.Row, s.No)
				return
			}
		}
		h.seq++
		id = fmt.Sprintf("hold-%d", h.seq)
		for _, s := range want {
			h.seats[s].hold = id
		}
		h.holds[id] = &hold{customer: customer, seats: want, until: h.now().Add(ttl)}
	})
	return id, err
}

// Confirm charges the customer and sells the seats of a hold.
func (h *Hall) Confirm(ctx context.Context, id string) (ref string, err error) {
	var hd *hold
	h.locked(func() {
		if cur, ok := h.holds[id]; ok && h.now().Before(cur.until) {
			hd = cur
		}
	})
	if hd == nil {
		return "", ErrExpired
	}

	ref, err = h.pay.Charge(ctx, hd.customer, h.price*int64(len(hd.seats)))
	if err != nil {
		return "", fmt.Errorf("seats: charge: %w", err)
	}

	sold := false
	h.locked(func() {
		if h.holds[id] != hd {
			return
		}
		for _, s := range hd.seats {
			h.seats[s].buyer = hd.customer
			h.seats[s].hold = ""
		}
		delete(h.holds, id)
		sold = true
	})
	if !sold {
		return "", errors.Join(ErrExpired, h.pay.Refund(ctx, ref))
	}
	return ref, nil
}

// Cancel gives a hold back.
func (h *Hall) Cancel(id string) {
	h.locked(func() { h.release(id) })
}

// release is called with the lock held.
func (h *Hall) release(id string) {
	hd, ok := h.holds[id]
	if !ok {
		return
	}
	for _, s := range hd.seats {
		h.seats[s].hold = ""
	}
	delete(h.holds, id)
}

// Reap expires holds until ctx is done.
func (h *Hall) Reap(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		for _, id := range h.overdue() {
			h.Cancel(id)
		}
	}
}

func (h *Hall) overdue() (ids []string) {
	now := h.now()
	h.locked(func() {
		for id, hd := range h.holds {
			if now.After(hd.until) {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// Free returns how many seats can be held.
func (h *Hall) Free() (n int) {
	h.locked(func() {
		for _, st := range h.seats {
			if st.hold == "" && st.buyer == "" {
				n++
			}
		}
	})
	return n
}
