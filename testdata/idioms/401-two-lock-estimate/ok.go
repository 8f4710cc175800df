// Package ok estimates the price of a transfer from recent pages of a ledger.
package ok

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var errNoPages = errors.New("ledger is empty")

// Page is a page of the ledger; pages are never changed.
type Page struct {
	Number uint64
	Hash   string
	Prices []uint64
}

// Source reads pages.
type Source interface {
	Last(ctx context.Context) (*Page, error)
	Page(ctx context.Context, number uint64) (*Page, error)
}

// Estimator suggests prices.
type Estimator struct {
	src     Source
	pages   int
	percent int
	ceiling uint64

	cacheLock sync.RWMutex
	lastHash  string
	lastPrice uint64

	fetchLock sync.Mutex
}

// NewEstimator returns an estimator that starts with a given price.
func NewEstimator(src Source, pages, percent int, start, ceiling uint64) *Estimator {
	if pages < 1 {
		pages = 1
	}
	percent = min(max(percent, 0), 100)
	return &Estimator{src: src, pages: pages, percent: percent, ceiling: ceiling, lastPrice: start}
}

// Suggest returns a price that would have been accepted lately.
func (e *Estimator) Suggest(ctx context.Context) (uint64, error) {
	head, err := e.src.Last(ctx)
	if err != nil {
		return 0, err
	}
	if head == nil {
		return 0, errNoPages
	}

	// If the price for this head is known, return it.
	e.cacheLock.RLock()
	lastHash, lastPrice := e.lastHash, e.lastPrice
	e.cacheLock.RUnlock()
	if head.Hash == lastHash {
		return lastPrice, nil
	}

	e.fetchLock.Lock()
	defer e.fetchLock.Unlock()

	// The one before us may have computed what we need.
	e.cacheLock.RLock()
	lastHash, lastPrice = e.lastHash, e.lastPrice
	e.cacheLock.RUnlock()
	if head.Hash == lastHash {
		return lastPrice, nil
	}

	type result struct {
		prices []uint64
		err    error
	}
	results := make(chan result, e.pages)
	sent := 0
	for n := head.Number; sent < e.pages && n > 0; n-- {
		go func() {
			p, err := e.src.Page(ctx, n)
			if err != nil {
				results <- result{nil, err}
				return
			}
			results <- result{sample(p.Prices, 3), nil}
		}()
		sent++
	}
	var all []uint64
	for range sent {
		r := <-results
		if r.err != nil {
			return lastPrice, r.err
		}
		if len(r.prices) == 0 {
			r.prices = []uint64{lastPrice}
		}
		all = append(all, r.prices...)
	}

	price := lastPrice
	if len(all) > 0 {
		slices.Sort(all)
		price = all[(len(all)-1)*e.percent/100]
	}
	price = min(price, e.ceiling)

	e.cacheLock.Lock()
	e.lastHash = head.Hash
	e.lastPrice = price
	e.cacheLock.Unlock()
	return price, nil
}

// sample returns the n lowest prices.
func sample(prices []uint64, n int) []uint64 {
	s := slices.Clone(prices)
	slices.Sort(s)
	return s[:min(n, len(s))]
}

// Last returns the last price that was computed.
func (e *Estimator) Last() uint64 {
	e.cacheLock.RLock()
	defer e.cacheLock.RUnlock()
	return e.lastPrice
}
