package fx

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// Table holds the rates of one base currency. The feed may switch the base at
// any time; it then publishes all rates anew.
type Table struct {
	mu    sync.RWMutex
	base  string
	rates map[string]float64
	at    time.Time
}

// Quote is what a customer sees and may later insist upon.
type Quote struct {
	From, To string
	Rate     float64
	Amount   float64
}

func NewTable(base string) *Table {
	return &Table{base: base, rates: map[string]float64{base: 1}}
}

// Publish installs a complete set of rates against base.
func (t *Table) Publish(base string, rates map[string]float64) {
	fresh := maps.Clone(rates)
	if fresh == nil {
		fresh = make(map[string]float64)
	}
	fresh[base] = 1
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base, t.rates, t.at = base, fresh, time.Now()
}

// Base is the currency amounts are taken to be in.
func (t *Table) Base() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.base
}

// Rate returns how much of cur one unit of the base buys.
func (t *Table) Rate(cur string) (float64, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, ok := t.rates[cur]
	return r, ok
}

// Age tells how old the table is.
func (t *Table) Age(now time.Time) time.Duration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return now.Sub(t.at)
}

// Convert quotes amount of the base currency in to.
func (t *Table) Convert(amount float64, to string) (Quote, error) {
	t.mu.RLock()
	base := t.base
	rate, ok := t.rates[to]
	t.mu.RUnlock()
	if !ok {
		return Quote{}, fmt.Errorf("fx: no rate for %s", to)
	}
	return Quote{
		From:   base,
		To:     to,
		Rate:   rate,
		Amount: amount * rate,
	}, nil
}
