package booking

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

var (
	ErrSoldOut     = errors.New("booking: no room left for the requested nights")
	ErrUnknownRoom = errors.New("booking: unknown room type")
)

// Stay is a request for one room of a type over consecutive nights.
type Stay struct {
	RoomType string    `json:"room_type"`
	Arrival  time.Time `json:"arrival"`
	Nights   int       `json:"nights"`
}

type night struct {
	roomType string
	date     string
}

func (s Stay) nights() []night {
	out := make([]night, 0, s.Nights)
	for i := range s.Nights {
		out = append(out, night{s.RoomType, s.Arrival.AddDate(0, 0, i).Format(time.DateOnly)})
	}
	return out
}

type Booking struct {
	Ref    string `json:"ref"`
	Guest  string `json:"guest"`
	Stay   Stay   `json:"stay"`
	AuthID string `json:"-"`
}

// Payments is the card processor.
type Payments interface {
	Authorize(ctx context.Context, guest string, cents int64) (string, error)
	Void(ctx context.Context, authID string) error
}

type roomType struct {
	count int
	cents int64
}

// Desk sells the rooms of one house.
type Desk struct {
	pay   Payments
	types map[string]roomType // fixed at start-up

	mu       sync.Mutex
	sold     map[night]int
	bookings map[string]Booking
	lastRef  int
}

func NewDesk(pay Payments, counts map[string]int, cents map[string]int64) *Desk {
	d := &Desk{pay: pay, types: make(map[string]roomType), sold: make(map[night]int), bookings: make(map[string]Booking)}
	for name, n := range counts {
		d.types[name] = roomType{count: n, cents: cents[name]}
	}
	return d
}

func (d *Desk) withLock(fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
}

func (d *Desk) freeLocked(s Stay) bool {
	for _, n := range s.nights() {
		if d.sold[n] >= d.types[s.RoomType].count {
			return false
		}
	}
	return true
}

func (d *Desk) recordLocked(guest string, s Stay, authID string) Booking {
	for _, n := range s.nights() {
		d.sold[n]++
	}
	d.lastRef++
	b := Booking{Ref: "B" + strconv.Itoa(d.lastRef), Guest: guest, Stay: s, AuthID: authID}
	d.bookings[b.Ref] = b
	return b
}

// Quote returns the price of the stay, or ErrSoldOut.
func (d *Desk) Quote(s Stay) (int64, error) {
	rt, ok := d.types[s.RoomType]
	if !ok {
		return 0, ErrUnknownRoom
	}
	free := false
	d.withLock(func() { free = d.freeLocked(s) })
	if !free {
		return 0, ErrSoldOut
	}
	return rt.cents * int64(s.Nights), nil
}

// Book authorises the guest's card and enters the booking.
func (d *Desk) Book(ctx context.Context, guest string, s Stay) (Booking, error) {
	price, err := d.Quote(s)
	if err != nil {
		return Booking{}, err
	}
	authID, err := d.pay.Authorize(ctx, guest, price)
	if err != nil {
		return Booking{}, err
	}
	var b Booking
	soldOut := false
	d.withLock(func() {
		if !d.freeLocked(s) {
			soldOut = true
			return
		}
		b = d.recordLocked(guest, s, authID)
	})
	if soldOut {
		return Booking{}, errors.Join(ErrSoldOut, d.pay.Void(ctx, authID))
	}
	return b, nil
}

// Cancel gives the nights of a booking back.
func (d *Desk) Cancel(ctx context.Context, ref string) error {
	var b Booking
	var ok bool
	d.withLock(func() {
		if b, ok = d.bookings[ref]; !ok {
			return
		}
		delete(d.bookings, ref)
		for _, n := range b.Stay.nights() {
			d.sold[n]--
		}
	})
	if !ok {
		return errors.New("booking: no such reference")
	}
	return d.pay.Void(ctx, b.AuthID)
}

// ServeHTTP handles POST /bookings.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var s Stay
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b, err := d.Book(r.Context(), r.Header.Get("X-Guest"), s)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	_ = json.NewEncoder(w).Encode(b)
}
