package locks

import "sync"

// Rates is guarded by a readers' and writers' lock.
type Rates struct {
	mu    sync.RWMutex
	table map[string]*rate
}

type rate struct {
	num, den int
	by       string
}

func newRate() *rate { return &rate{num: 1, den: 1} }

func NewRates() *Rates { return &Rates{table: make(map[string]*rate)} }

// For makes a rate on first use. Two callers may get two.
func (r *Rates) For(currency string) *rate {
	r.mu.RLock()
	x := r.table[currency]
	r.mu.RUnlock()
	if x == nil {
		x = newRate()
		r.mu.Lock()
		r.table[currency] = x // want `check-then-act: r\.table\[currency\] was checked at line \d+, but r\.mu was released at line \d+ and another goroutine may change it before this write`
		r.mu.Unlock()
	}
	return x
}

func (r *Rates) ForAgain(currency string) *rate {
	r.mu.RLock()
	x := r.table[currency]
	r.mu.RUnlock()
	if x != nil {
		return x
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if x = r.table[currency]; x == nil {
		x = &rate{num: 1, den: 1}
		r.table[currency] = x
	}
	return x
}

// Reset is another writer.
func (r *Rates) Reset(currency string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.table, currency)
}

// Rename writes under another key than it has looked at.
func (r *Rates) Rename(from, to string) {
	r.mu.RLock()
	old, ok := r.table[from]
	r.mu.RUnlock()
	if !ok {
		return
	}
	r.mu.Lock()
	r.table[to] = &rate{num: old.num, den: old.den, by: from}
	r.mu.Unlock()
}
