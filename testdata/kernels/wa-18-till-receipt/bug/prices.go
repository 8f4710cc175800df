package till

import "sync"

// PriceList knows what things cost, in cents.
type PriceList interface {
	Price(sku string) (cents int64, ok bool)
}

// Book is a price list that the head office changes during opening hours.
type Book struct {
	mu     sync.RWMutex
	prices map[string]int64
}

func NewBook() *Book { return &Book{prices: make(map[string]int64)} }

func (b *Book) Reprice(sku string, cents int64) {
	b.mu.Lock()
	b.prices[sku] = cents
	b.mu.Unlock()
}

func (b *Book) Price(sku string) (int64, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	c, ok := b.prices[sku]
	return c, ok
}
