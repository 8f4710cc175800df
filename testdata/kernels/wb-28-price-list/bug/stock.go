// Package stock has the goods of a warehouse and their prices.
package stock

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrUnknown = errors.New("stock: unknown article")
	ErrShort   = errors.New("stock: not enough on hand")
)

// Item is an article.
type Item struct {
	SKU      string
	OnHand   int
	Price    int64 // of one, in the smallest unit of the currency
	Currency string
}

// Quote is an offer to a customer.
type Quote struct {
	SKU      string
	Qty      int
	Total    int64
	Currency string
}

func (q Quote) String() string {
	return fmt.Sprintf("%d x %s: %d %s", q.Qty, q.SKU, q.Total, q.Currency)
}

// Stock is used by the shop and by the warehouse at the same time.
type Stock struct {
	mu    sync.RWMutex
	items map[string]*Item
}

// New returns a stock of the given items.
func New(items ...Item) *Stock {
	s := &Stock{items: make(map[string]*Item)}
	for _, it := range items {
		s.items[it.SKU] = &it
	}
	return s
}

func (s *Stock) find(sku string) (*Item, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	it, ok := s.items[sku]
	if !ok {
		return nil, ErrUnknown
	}
	return it, nil
}

// Quote makes an offer.
func (s *Stock) Quote(sku string, qty int) (q Quote, err error) {
	it, err := s.find(sku)
	if err != nil {
		return q, err
	}
	if it.OnHand < qty {
		return q, ErrShort
	}
	return Quote{SKU: sku, Qty: qty, Total: it.Price * int64(qty), Currency: it.Currency}, nil
}

// Reprice changes the price of an article.
func (s *Stock) Reprice(sku string, price int64, currency string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.items[sku]
	if !ok {
		return ErrUnknown
	}
	it.Price, it.Currency = price, currency
	return nil
}

// Move changes the amount on hand by n, which is negative for a delivery.
func (s *Stock) Move(sku string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.items[sku]
	switch {
	case !ok:
		return ErrUnknown
	case it.OnHand+n < 0:
		return ErrShort
	}
	it.OnHand += n
	return nil
}
