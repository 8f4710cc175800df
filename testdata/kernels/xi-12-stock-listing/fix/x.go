// Package stock is the source of truth for how many units of an article are in
// the warehouse. Changes are passed on to the shop's listing.
package stock

import (
	"errors"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/xi-12-stock-listing/fix/catalog"
)

// ErrShort is returned when there are not enough units.
var ErrShort = errors.New("stock: not enough units")

type article struct {
	units int
	moves uint64 // bookings since start, orders the updates of the listing
}

// Warehouse keeps the articles.
type Warehouse struct {
	listing *catalog.Listing

	mu       sync.Mutex
	articles map[string]*article
}

// New returns an empty warehouse which keeps listing up to date.
func New(listing *catalog.Listing) *Warehouse {
	return &Warehouse{listing: listing, articles: make(map[string]*article)}
}

// book changes the units of an article and returns the new state.
func (w *Warehouse) book(sku string, delta int) (article, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.articles[sku]
	if a == nil {
		a = &article{}
		w.articles[sku] = a
	}
	if a.units+delta < 0 {
		return *a, ErrShort
	}
	a.units += delta
	a.moves++
	return *a, nil
}

// Receive books goods that have arrived.
func (w *Warehouse) Receive(sku string, n int) error {
	return w.move(sku, n)
}

// Ship books goods that have left.
func (w *Warehouse) Ship(sku string, n int) error {
	return w.move(sku, -n)
}

func (w *Warehouse) move(sku string, delta int) error {
	now, err := w.book(sku, delta)
	if err != nil {
		return err
	}
	// Outside the lock, the listing calls back into Units from its hooks.
	w.listing.SetLevel(sku, now.units, now.moves)
	return nil
}

// Units returns how many units of an article there are.
func (w *Warehouse) Units(sku string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.articles[sku]; a != nil {
		return a.units
	}
	return 0
}

// Moves returns the number of bookings of an article.
func (w *Warehouse) Moves(sku string) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.articles[sku]; a != nil {
		return a.moves
	}
	return 0
}
