// Package metering turns usage events into charges.
package metering

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Event is one measured use of a product.
type Event struct {
	Account  string
	SKU      string
	Quantity int64
}

// Charge is what is put on the invoice.
type Charge struct {
	Account  string
	SKU      string
	Minor    int64 // amount in minor units of Currency
	Currency string
}

// PriceBook is the price list in force. Finance publishes a new list, possibly
// in another currency, at any time.
type PriceBook struct {
	mu       sync.RWMutex
	currency string
	prices   map[string]int64
}

// Publish replaces the whole list.
func (b *PriceBook) Publish(currency string, prices map[string]int64) {
	own := make(map[string]int64, len(prices))
	for sku, p := range prices {
		own[sku] = p
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.currency, b.prices = currency, own
}

// Currency returns the currency of the list.
func (b *PriceBook) Currency() string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.currency
}

// UnitPrice returns the price of one unit.
func (b *PriceBook) UnitPrice(sku string) (int64, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	p, ok := b.prices[sku]
	return p, ok
}

// Sink stores charges.
type Sink interface {
	Append(ctx context.Context, c Charge) error
}

// Source delivers published lists.
type Source interface {
	Next(ctx context.Context) (currency string, prices map[string]int64, err error)
}

// Rater rates events; its workers run in parallel.
type Rater struct {
	book *PriceBook
	sink Sink
}

func NewRater(sink Sink) *Rater {
	return &Rater{book: &PriceBook{}, sink: sink}
}

// Run follows the price source and rates the incoming events.
func (r *Rater) Run(ctx context.Context, src Source, events <-chan Event, workers int) {
	go r.follow(ctx, src)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ev := range events {
				if err := r.rate(ctx, ev); err != nil {
					fmt.Printf("metering: %s/%s: %v\n", ev.Account, ev.SKU, err)
				}
			}
		}()
	}
	wg.Wait()
}

func (r *Rater) follow(ctx context.Context, src Source) {
	for ctx.Err() == nil {
		currency, prices, err := src.Next(ctx)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		r.book.Publish(currency, prices)
	}
}

func (r *Rater) rate(ctx context.Context, ev Event) error {
	unit, ok := r.book.UnitPrice(ev.SKU)
	if !ok {
		return fmt.Errorf("no price")
	}
	return r.sink.Append(ctx, Charge{
		Account:  ev.Account,
		SKU:      ev.SKU,
		Minor:    unit * ev.Quantity,
		Currency: r.book.Currency(),
	})
}
