// Package quotes keeps exchange rates that are slow to obtain. Every access to
// its maps is locked, so go test -race has nothing to say about it.
package quotes

import "sync"

// Rates is a cache of exchange rates that is filled as rates are asked for.
type Rates struct {
	fetch func(currency string) float64

	mu    sync.RWMutex
	rates map[string]float64
}

// NewRates returns an empty cache in front of fetch.
func NewRates(fetch func(currency string) float64) *Rates {
	return &Rates{fetch: fetch, rates: make(map[string]float64)}
}

// Get returns the rate of a currency, fetching it the first time.
//
// This is wrong. Between the look into the map and the write, Set may store a
// newer rate, which the write replaces by the older one that was fetched.
func (r *Rates) Get(currency string) float64 {
	r.mu.RLock()
	rate, ok := r.rates[currency]
	r.mu.RUnlock()
	if ok {
		return rate
	}

	rate = r.fetch(currency)
	r.mu.Lock()
	r.rates[currency] = rate
	r.mu.Unlock()
	return rate
}

// Set stores a rate that somebody else has announced.
func (r *Rates) Set(currency string, rate float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rates[currency] = rate
}
