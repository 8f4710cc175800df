// Package stock keeps the inventory of a warehouse and reserves goods for
// orders while they are being paid and picked.
package stock

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrSettled is returned for a reservation that was shipped or cancelled
// before.
var ErrSettled = errors.New("stock: reservation is settled")

// ShortError says which article an order cannot have.
type ShortError struct {
	SKU           string
	Want, InStock int
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("stock: %s: want %d, have %d", e.SKU, e.Want, e.InStock)
}

// Line is a position of an order.
type Line struct {
	SKU string
	Qty int
}

// article is the stock of one SKU. Every article has its own lock so that
// orders for different goods do not wait for each other.
type article struct {
	sku string

	mu       sync.Mutex
	onHand   int
	reserved int
}

// available returns how many pieces can still be reserved.
func (a *article) available() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.availableLocked()
}

// availableLocked is available for callers that hold a.mu.
func (a *article) availableLocked() int { return a.onHand - a.reserved }

// release puts n reserved pieces back.
func (a *article) release(n int) {
	a.mu.Lock()
	a.reserved -= n
	a.mu.Unlock()
}

// ship takes n reserved pieces out of the warehouse.
func (a *article) ship(n int) {
	a.mu.Lock()
	a.reserved -= n
	a.onHand -= n
	a.mu.Unlock()
}

// Warehouse is safe for concurrent use.
type Warehouse struct {
	articles map[string]*article // fixed
}

// Open returns a warehouse with the given stock.
func Open(onHand map[string]int) *Warehouse {
	w := &Warehouse{articles: make(map[string]*article, len(onHand))}
	for sku, n := range onHand {
		w.articles[sku] = &article{sku: sku, onHand: n}
	}
	return w
}

// Receive books a delivery.
func (w *Warehouse) Receive(sku string, n int) error {
	a, ok := w.articles[sku]
	if !ok {
		return fmt.Errorf("stock: unknown SKU %q", sku)
	}
	a.mu.Lock()
	a.onHand += n
	a.mu.Unlock()
	return nil
}

// Available returns how many pieces of sku can be reserved.
func (w *Warehouse) Available(sku string) int {
	a, ok := w.articles[sku]
	if !ok {
		return 0
	}
	return a.available()
}

// pick is an article with the quantity an order wants of it.
type pick struct {
	art *article
	qty int
}

// picks resolves the lines of an order. Every article comes up once, and the
// result is sorted by SKU.
func (w *Warehouse) picks(lines []Line) ([]pick, error) {
	qty := make(map[string]int)
	for _, l := range lines {
		if l.Qty <= 0 {
			return nil, fmt.Errorf("stock: %s: bad quantity %d", l.SKU, l.Qty)
		}
		if _, ok := w.articles[l.SKU]; !ok {
			return nil, fmt.Errorf("stock: unknown SKU %q", l.SKU)
		}
		qty[l.SKU] += l.Qty
	}
	ps := make([]pick, 0, len(qty))
	for sku, n := range qty {
		ps = append(ps, pick{w.articles[sku], n})
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].art.sku < ps[j].art.sku })
	return ps, nil
}

// Reserve sets aside what an order needs: all of its lines, or none of them
// and a *ShortError.
func (w *Warehouse) Reserve(lines []Line) (*Reservation, error) {
	ps, err := w.picks(lines)
	if err != nil {
		return nil, err
	}
	// The picks are sorted, so two orders lock their articles in the same order.
	for _, p := range ps {
		p.art.mu.Lock()
		defer p.art.mu.Unlock()
	}
	for _, p := range ps {
		if have := p.art.availableLocked(); have < p.qty {
			return nil, &ShortError{SKU: p.art.sku, Want: p.qty, InStock: have}
		}
	}
	for _, p := range ps {
		p.art.reserved += p.qty
	}
	return &Reservation{picks: ps}, nil
}

// Reservation is what has been set aside for an order.
type Reservation struct {
	picks   []pick
	settled atomic.Bool
}

// Ship takes the reserved goods out of the warehouse.
func (r *Reservation) Ship() error {
	if !r.settled.CompareAndSwap(false, true) {
		return ErrSettled
	}
	for _, p := range r.picks {
		p.art.ship(p.qty)
	}
	return nil
}

// Cancel puts the reserved goods back.
func (r *Reservation) Cancel() error {
	if !r.settled.CompareAndSwap(false, true) {
		return ErrSettled
	}
	for _, p := range r.picks {
		p.art.release(p.qty)
	}
	return nil
}
