// Package a meters API usage per tenant for the monthly invoice.
package a

import (
	"sort"
	"sync"
)

// Usage is what one tenant consumed since the last invoice.
type Usage struct {
	Calls int64
	Bytes int64
}

func (u Usage) plus(o Usage) Usage {
	return Usage{Calls: u.Calls + o.Calls, Bytes: u.Bytes + o.Bytes}
}

// Rates are the prices, in micro-euros.
type Rates struct {
	PerCall int64
	PerByte int64
}

func (r Rates) price(u Usage) int64 {
	return u.Calls*r.PerCall + u.Bytes*r.PerByte
}

// Line is one row of the invoice run.
type Line struct {
	Tenant string
	Usage  Usage
	Amount int64
}

// Meter adds up usage. Request handlers call Record; the invoice job calls
// Settle once a month while traffic goes on.
type Meter struct {
	rates  Rates
	totals sync.Map // tenant (string) -> Usage
}

// NewMeter returns a meter that charges by rates.
func NewMeter(rates Rates) *Meter {
	return &Meter{rates: rates}
}

// Record adds the usage of one request to the tenant's account and returns
// the new total, which handlers put into the response headers.
func (m *Meter) Record(tenant string, bytes int64) Usage {
	delta := Usage{Calls: 1, Bytes: bytes}
	for {
		v, loaded := m.totals.LoadOrStore(tenant, delta)
		if !loaded {
			return delta
		}
		total := v.(Usage).plus(delta)
		if m.totals.CompareAndSwap(tenant, v, total) {
			return total
		}
	}
}

// Current returns what the tenant has used so far.
func (m *Meter) Current(tenant string) Usage {
	v, ok := m.totals.Load(tenant)
	if !ok {
		return Usage{}
	}
	return v.(Usage)
}

// Settle takes the tenant's usage off the meter and prices it.
func (m *Meter) Settle(tenant string) (Line, bool) {
	v, ok := m.totals.LoadAndDelete(tenant)
	if !ok {
		return Line{}, false
	}
	u := v.(Usage)
	return Line{Tenant: tenant, Usage: u, Amount: m.rates.price(u)}, true
}

// SettleAll settles every tenant that has used anything, in order of name.
func (m *Meter) SettleAll() []Line {
	var names []string
	m.totals.Range(func(k, _ any) bool {
		names = append(names, k.(string))
		return true
	})
	sort.Strings(names)
	lines := make([]Line, 0, len(names))
	for _, n := range names {
		if l, ok := m.Settle(n); ok {
			lines = append(lines, l)
		}
	}
	return lines
}
