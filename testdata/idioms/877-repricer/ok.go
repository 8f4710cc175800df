// Package pricing keeps the price list of the shop and adjusts it to the
// prices of the suppliers.
package pricing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrNoItem   = errors.New("pricing: no such item")
	ErrConflict = errors.New("pricing: item changes too often")
)

// Item is an entry of the price list. All amounts are in cents.
type Item struct {
	SKU      string
	Price    int64
	Floor    int64 // never sell below
	Discount int64 // granted by marketing, in percent
}

type entry struct {
	item    Item
	version uint64
}

// List is the price list. It is safe for concurrent use.
type List struct {
	mu      sync.Mutex
	entries map[string]entry
}

// NewList returns a list of the given items.
func NewList(items ...Item) *List {
	l := &List{entries: make(map[string]entry, len(items))}
	for _, it := range items {
		l.entries[it.SKU] = entry{item: it, version: 1}
	}
	return l
}

// Price returns the price a customer pays for sku.
func (l *List) Price(sku string) (int64, error) {
	e, err := l.read(sku)
	if err != nil {
		return 0, err
	}
	return max(e.item.Price*(100-e.item.Discount)/100, e.item.Floor), nil
}

// SetDiscount grants a discount on sku.
func (l *List) SetDiscount(sku string, percent int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[sku]
	if !ok {
		return ErrNoItem
	}
	e.item.Discount = min(max(percent, 0), 90)
	e.version++
	l.entries[sku] = e
	return nil
}

func (l *List) read(sku string) (entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[sku]
	if !ok {
		return entry{}, ErrNoItem
	}
	return e, nil
}

// replace stores it, provided that the entry still has the given version.
func (l *List) replace(it Item, version uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[it.SKU]
	if !ok || e.version != version {
		return false
	}
	l.entries[it.SKU] = entry{item: it, version: version + 1}
	return true
}

func (l *List) skus() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, 0, len(l.entries))
	for sku := range l.entries {
		out = append(out, sku)
	}
	return out
}

// Supplier quotes the purchase price for an item.
type Supplier interface {
	Quote(ctx context.Context, it Item) (int64, error)
}

// Repricer follows the prices of a supplier.
type Repricer struct {
	list     *List
	supplier Supplier
	margin   int64 // percent
	log      *slog.Logger
}

// NewRepricer returns a repricer that adds margin percent.
func NewRepricer(l *List, s Supplier, margin int64, log *slog.Logger) *Repricer {
	return &Repricer{list: l, supplier: s, margin: margin, log: log}
}

// Reprice sets the price and the floor of one item after a new quote.
func (r *Repricer) Reprice(ctx context.Context, sku string) error {
	for range 5 {
		e, err := r.list.read(sku)
		if err != nil {
			return err
		}
		it := e.item
		cost, err := r.supplier.Quote(ctx, it)
		if err != nil {
			return fmt.Errorf("pricing: quote %s: %w", sku, err)
		}
		it.Floor = cost
		it.Price = cost * (100 + r.margin) / 100
		if r.list.replace(it, e.version) {
			return nil
		}
	}
	return ErrConflict
}

// Run reprices every item each interval until ctx ends.
func (r *Repricer) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, sku := range r.list.skus() {
				if err := r.Reprice(ctx, sku); err != nil {
					r.log.Warn("reprice", "sku", sku, "err", err)
				}
			}
		}
	}
}
