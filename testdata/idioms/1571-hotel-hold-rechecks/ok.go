package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrFull    = errors.New("hotel: no rooms of that kind")
	ErrUnknown = errors.New("hotel: unknown room type")
)

type Quote struct {
	Cents   int64
	Expires time.Time
}

type Pricing interface {
	Quote(ctx context.Context, roomType string, nights int) (Quote, error)
}

type stock struct {
	total int
	held  int
}

func (s stock) free() int { return s.total - s.held }

type Desk struct {
	mu      sync.RWMutex
	stocks  map[string]stock
	pricing Pricing
}

func NewDesk(p Pricing, rooms map[string]int) *Desk {
	d := &Desk{stocks: make(map[string]stock, len(rooms)), pricing: p}
	for k, n := range rooms {
		d.stocks[k] = stock{total: n}
	}
	return d
}

// Free is the number shown on the search page.
func (d *Desk) Free(roomType string) (int, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, ok := d.stocks[roomType]
	if !ok {
		return 0, ErrUnknown
	}
	return s.free(), nil
}

func (d *Desk) hold(roomType string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.stocks[roomType]
	if !ok {
		return ErrUnknown
	}
	if s.free() <= 0 {
		return ErrFull
	}
	s.held++
	d.stocks[roomType] = s
	return nil
}

func (d *Desk) Release(roomType string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.stocks[roomType]; ok && s.held > 0 {
		s.held--
		d.stocks[roomType] = s
	}
}

// Hold quotes a price and keeps a room aside for it.
func (d *Desk) Hold(ctx context.Context, roomType string, nights int) (Quote, error) {
	free, err := d.Free(roomType)
	if err != nil {
		return Quote{}, err
	}
	if free == 0 {
		return Quote{}, ErrFull
	}
	q, err := d.pricing.Quote(ctx, roomType, nights)
	if err != nil {
		return Quote{}, fmt.Errorf("hotel: quote: %w", err)
	}
	if err := d.hold(roomType); err != nil {
		return Quote{}, err
	}
	return q, nil
}
