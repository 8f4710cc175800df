// Package seating sells numbered seats for a single performance.
//
// A customer first holds a seat, which keeps it off the plan for a few
// minutes, and then confirms the hold by paying for it. All methods of House
// are safe for concurrent use; the web frontend calls them from its handlers.
package seating

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sort"
	"sync"
	"time"
)

// HoldFor is how long a seat stays held without payment.
const HoldFor = 5 * time.Minute

var (
	ErrNoSeat  = errors.New("seating: no such seat")
	ErrTaken   = errors.New("seating: seat is taken")
	ErrNotHeld = errors.New("seating: seat is not held by this customer")
)

// Gateway is the card processor.
type Gateway interface {
	Charge(ctx context.Context, customer string, cents int64) (ref string, err error)
}

type seatState int

const (
	free seatState = iota
	held
	paying // held, and the payment is under way
	sold
)

type seat struct {
	label  string
	cents  int64
	state  seatState
	holder string
	until  time.Time
	ref    string
}

// House is the seating plan of one performance.
type House struct {
	gw  Gateway
	now func() time.Time

	mu    sync.Mutex
	seats map[string]*seat
}

// NewHouse returns a plan in which every labelled seat is free.
func NewHouse(gw Gateway, prices map[string]int64) *House {
	h := &House{gw: gw, now: time.Now, seats: make(map[string]*seat, len(prices))}
	for label, cents := range prices {
		h.seats[label] = &seat{label: label, cents: cents}
	}
	return h
}

// Hold reserves a seat for customer for HoldFor. Holding a seat again
// extends the hold.
func (h *House) Hold(customer, label string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.seats[label]
	if !ok {
		return ErrNoSeat
	}
	if s.state != free && !(s.state == held && s.holder == customer) {
		return ErrTaken
	}
	s.state, s.holder = held, customer
	s.until = h.now().Add(HoldFor)
	return nil
}

// Release gives up a hold before it runs out.
func (h *House) Release(customer, label string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.seats[label]
	if !ok {
		return ErrNoSeat
	}
	if s.state != held || s.holder != customer {
		return ErrNotHeld
	}
	s.state, s.holder = free, ""
	return nil
}

// Confirm charges the customer for a held seat and sells it. It returns the
// payment reference.
func (h *House) Confirm(ctx context.Context, customer, label string) (string, error) {
	cents, err := h.beginPayment(customer, label)
	if err != nil {
		return "", err
	}
	ref, err := h.gw.Charge(ctx, customer, cents)
	if err != nil {
		h.abortPayment(label)
		return "", err
	}
	h.markSold(customer, label, ref)
	return ref, nil
}

// beginPayment pins the seat customer holds until it is sold or the payment is
// aborted, and returns what it costs.
func (h *House) beginPayment(customer, label string) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.seats[label]
	if !ok {
		return 0, ErrNoSeat
	}
	if s.state != held || s.holder != customer {
		return 0, ErrNotHeld
	}
	s.state = paying
	return s.cents, nil
}

// abortPayment turns the seat back into a held one.
func (h *House) abortPayment(label string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seats[label].state = held
}

// markSold records a sale with its payment reference.
func (h *House) markSold(customer, label, ref string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.seats[label]
	s.state, s.holder, s.ref = sold, customer, ref
}

// Sweep frees the seats whose hold has run out.
func (h *House) Sweep() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	now, n := h.now(), 0
	for _, s := range h.seats {
		if s.state == held && now.After(s.until) {
			s.state, s.holder = free, ""
			n++
		}
	}
	return n
}

// Run sweeps every interval until ctx is done.
func (h *House) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.Sweep()
		case <-ctx.Done():
			return
		}
	}
}

// Available lists the labels of the free seats in order.
func (h *House) Available() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for label, s := range h.seats {
		if s.state == free {
			out = append(out, label)
		}
	}
	sort.Strings(out)
	return out
}

// ServeHTTP handles POST /?op=hold|release|confirm&seat=… and GET /.
func (h *House) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(h.Available())
		return
	}
	customer, label := r.Header.Get("X-Customer"), r.FormValue("seat")
	var err error
	switch r.FormValue("op") {
	case "hold":
		err = h.Hold(customer, label)
	case "release":
		err = h.Release(customer, label)
	case "confirm":
		_, err = h.Confirm(r.Context(), customer, label)
	default:
		http.Error(w, "unknown op", http.StatusBadRequest)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
