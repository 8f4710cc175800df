// Package catalog is what the shop shows to customers.
package catalog

import (
	"sort"
	"sync"
)

type item struct {
	level int
}

// Listing holds the articles on sale.
type Listing struct {
	onSoldOut func(sku string)

	mu    sync.RWMutex
	items map[string]item
}

// NewListing returns an empty listing. onSoldOut, if not nil, is called when
// an article goes out of stock; it may have come back by then.
func NewListing(onSoldOut func(sku string)) *Listing {
	if onSoldOut == nil {
		onSoldOut = func(string) {}
	}
	return &Listing{onSoldOut: onSoldOut, items: make(map[string]item)}
}

// SetLevel tells the listing how many units of an article are left.
func (l *Listing) SetLevel(sku string, level int) {
	l.mu.Lock()
	old := l.items[sku]
	l.items[sku] = item{level: level}
	l.mu.Unlock()

	if old.level > 0 && level == 0 {
		l.onSoldOut(sku)
	}
}

// Buyable reports whether customers can order the article.
func (l *Listing) Buyable(sku string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[sku].level > 0
}

// OnSale lists all articles that can be ordered.
func (l *Listing) OnSale() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []string
	for sku, it := range l.items {
		if it.level > 0 {
			out = append(out, sku)
		}
	}
	sort.Strings(out)
	return out
}
