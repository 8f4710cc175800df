package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrSoldOut = errors.New("booking: no rooms left")

type Charger interface {
	Charge(ctx context.Context, card string, cents int64) (string, error)
}

// night is the stock of one room type for one calendar night.
type night struct {
	mu       sync.Mutex
	capacity int
	sold     int
	cents    int64
}

func (n *night) left() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.capacity - n.sold
}

func (n *night) sell(rooms int) {
	n.mu.Lock()
	n.sold += rooms
	n.mu.Unlock()
}

func (n *night) release(rooms int) {
	n.mu.Lock()
	n.sold -= rooms
	n.mu.Unlock()
}

type Hotel struct {
	mu       sync.RWMutex
	calendar map[string]*night
	pay      Charger
}

func NewHotel(pay Charger) *Hotel {
	return &Hotel{calendar: make(map[string]*night), pay: pay}
}

func (h *Hotel) Open(day time.Time, rooms int, cents int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := day.Format(time.DateOnly)
	if _, ok := h.calendar[key]; !ok {
		h.calendar[key] = &night{capacity: rooms, cents: cents}
	}
}

func (h *Hotel) stay(from time.Time, nights int) ([]*night, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]*night, 0, nights)
	for i := range nights {
		key := from.AddDate(0, 0, i).Format(time.DateOnly)
		n, ok := h.calendar[key]
		if !ok {
			return nil, fmt.Errorf("booking: %s not on sale", key)
		}
		out = append(out, n)
	}
	return out, nil
}

func (h *Hotel) Available(from time.Time, nights int) (int, error) {
	stay, err := h.stay(from, nights)
	if err != nil || len(stay) == 0 {
		return 0, err
	}
	best := stay[0].left()
	for _, n := range stay[1:] {
		best = min(best, n.left())
	}
	return best, nil
}

// Book reserves rooms for every night of the stay and charges the card.
func (h *Hotel) Book(ctx context.Context, from time.Time, nights, rooms int, card string) (string, error) {
	stay, err := h.stay(from, nights)
	if err != nil {
		return "", err
	}
	for _, n := range stay {
		if n.left() < rooms {
			return "", ErrSoldOut
		}
	}
	var total int64
	for _, n := range stay {
		n.sell(rooms)
		total += n.cents * int64(rooms)
	}
	ref, err := h.pay.Charge(ctx, card, total)
	if err != nil {
		releaseAll(stay, rooms)
		return "", fmt.Errorf("booking: charge: %w", err)
	}
	return ref, nil
}

func releaseAll(stay []*night, rooms int) {
	for _, n := range stay {
		n.release(rooms)
	}
}
