// Package pricebook keeps the prices of the shop. Merchants and the repricing
// jobs edit them concurrently.
package pricebook

import (
	"errors"
	"sync"
)

// ErrUnknown is returned for an article without a price.
var ErrUnknown = errors.New("pricebook: unknown article")

// Price is the price of one article.
type Price struct {
	Revision int64
	Cents    int64
	Currency string
}

// Rates converts between currencies; a lookup may be a network call.
type Rates interface {
	Convert(cents int64, from, to string) (int64, error)
}

// Book holds the prices. It is safe for concurrent use.
type Book struct {
	rates Rates

	mu     sync.RWMutex
	prices map[string]Price
}

// New returns an empty book.
func New(rates Rates) *Book {
	return &Book{rates: rates, prices: make(map[string]Price)}
}

// Set replaces the price of an article.
func (b *Book) Set(article string, cents int64, currency string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prices[article] = Price{
		Revision: b.prices[article].Revision + 1,
		Cents:    cents,
		Currency: currency,
	}
}

// Lookup returns the price of an article.
func (b *Book) Lookup(article string) (Price, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	p, ok := b.prices[article]
	if !ok {
		return Price{}, ErrUnknown
	}
	return p, nil
}

// swap replaces the price if it still has revision seen.
func (b *Book) swap(article string, seen int64, next Price) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	cur, ok := b.prices[article]
	if !ok || cur.Revision != seen {
		return false
	}
	next.Revision = seen + 1
	b.prices[article] = next
	return true
}

// Adjust changes the price of an article by percent.
func (b *Book) Adjust(article string, percent int64) error {
	return b.edit(article, func(p Price) (Price, error) {
		p.Cents += p.Cents * percent / 100
		return p, nil
	})
}

// Redenominate converts the price of an article to another currency.
func (b *Book) Redenominate(article, currency string) error {
	return b.edit(article, func(p Price) (Price, error) {
		if p.Currency == currency {
			return p, nil
		}
		cents, err := b.rates.Convert(p.Cents, p.Currency, currency)
		if err != nil {
			return Price{}, err
		}
		p.Cents, p.Currency = cents, currency
		return p, nil
	})
}

// edit computes a new price from the current one until it can be entered.
func (b *Book) edit(article string, change func(Price) (Price, error)) error {
	for {
		cur, err := b.Lookup(article)
		if err != nil {
			return err
		}
		next, err := change(cur)
		if err != nil {
			return err
		}
		if b.swap(article, cur.Revision, next) {
			return nil
		}
	}
}
