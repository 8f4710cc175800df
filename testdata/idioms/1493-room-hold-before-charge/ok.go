package booking

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

var ErrSoldOut = errors.New("booking: sold out")

// Charger takes the guest's money. It may need several seconds; every charge
// has its own receipt number.
type Charger interface {
	Charge(ctx context.Context, guest string, cents int64) (receipt string, err error)
}

type allotment struct {
	rooms int
	held  int
	sold  map[string]string // receipt -> guest
}

// Hotel sells the rooms of a night.
type Hotel struct {
	charger Charger
	cents   int64

	mu     sync.Mutex
	nights map[string]*allotment
}

func NewHotel(c Charger, cents int64) *Hotel {
	return &Hotel{charger: c, cents: cents, nights: make(map[string]*allotment)}
}

// Open puts the rooms of a night on sale, once.
func (h *Hotel) Open(night string, rooms int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.nights[night]; !ok {
		h.nights[night] = &allotment{rooms: rooms, sold: make(map[string]string)}
	}
}

func (h *Hotel) update(night string, fn func(a *allotment) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.nights[night]
	if !ok {
		return ErrSoldOut
	}
	return fn(a)
}

// hold takes a room off the market.
func (h *Hotel) hold(night string) error {
	return h.update(night, func(a *allotment) error {
		if a.held+len(a.sold) >= a.rooms {
			return ErrSoldOut
		}
		a.held++
		return nil
	})
}

func (h *Hotel) unhold(night string) {
	_ = h.update(night, func(a *allotment) error {
		a.held--
		return nil
	})
}

// settle turns a hold into a sale.
func (h *Hotel) settle(night, guest, receipt string) error {
	return h.update(night, func(a *allotment) error {
		a.held--
		a.sold[receipt] = guest
		return nil
	})
}

// Book sells a room for the night to the guest.
func (h *Hotel) Book(ctx context.Context, night, guest string) error {
	if err := h.hold(night); err != nil {
		return err
	}
	receipt, err := h.charger.Charge(ctx, guest, h.cents)
	if err != nil {
		h.unhold(night)
		return err
	}
	return h.settle(night, guest, receipt)
}

// ServeHTTP handles POST /nights/{night}/bookings.
func (h *Hotel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.Book(r.Context(), r.PathValue("night"), r.Header.Get("X-Guest")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusCreated)
}
