package quotes

import "sync"

// CheckedRates is [Rates] without the mistake.
type CheckedRates struct {
	fetch func(currency string) float64

	mu    sync.RWMutex
	rates map[string]float64
}

// NewCheckedRates returns an empty cache in front of fetch.
func NewCheckedRates(fetch func(currency string) float64) *CheckedRates {
	return &CheckedRates{fetch: fetch, rates: make(map[string]float64)}
}

// Get returns the rate of a currency, fetching it the first time. It looks a
// second time under the lock that it writes under.
func (r *CheckedRates) Get(currency string) float64 {
	r.mu.RLock()
	rate, ok := r.rates[currency]
	r.mu.RUnlock()
	if ok {
		return rate
	}

	fetched := r.fetch(currency)
	r.mu.Lock()
	defer r.mu.Unlock()
	if rate, ok := r.rates[currency]; ok {
		return rate
	}
	r.rates[currency] = fetched
	return fetched
}

// Set stores a rate that somebody else has announced.
func (r *CheckedRates) Set(currency string, rate float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rates[currency] = rate
}
