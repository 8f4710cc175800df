// Package meter counts billable API calls per tenant and day.
package meter

import (
	"sync"
	"sync/atomic"
	"time"
)

// A counter packs the day (days since the epoch) into the upper 24 bits and
// the number of units used on that day into the lower 40, so that reading both
// is a single load on the request path.
type counter struct {
	word atomic.Uint64
}

const (
	unitBits = 40
	unitMask = 1<<unitBits - 1
)

func pack(day, units uint64) uint64         { return day<<unitBits | units&unitMask }
func unpack(w uint64) (day, units uint64)   { return w >> unitBits, w & unitMask }
func dayOf(t time.Time) uint64              { return uint64(t.Unix() / 86400) }
func (c *counter) read() (day, used uint64) { return unpack(c.word.Load()) }

// add books n units on day and returns the units used on that day so far.
// Late calls for a day that is already over count for the current one.
func (c *counter) add(day, n uint64) uint64 {
	for {
		old := c.word.Load()
		cur, used := unpack(old)
		if day > cur {
			cur, used = day, 0
		}
		used += n
		if c.word.CompareAndSwap(old, pack(cur, used)) {
			return used
		}
	}
}

// Meter holds the counters of all tenants.
type Meter struct {
	now func() time.Time

	mu      sync.RWMutex
	tenants map[string]*counter
}

// New returns an empty meter.
func New() *Meter {
	return &Meter{now: time.Now, tenants: make(map[string]*counter)}
}

func (m *Meter) counter(tenant string) *counter {
	m.mu.RLock()
	c := m.tenants[tenant]
	m.mu.RUnlock()
	if c != nil {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c = m.tenants[tenant]; c == nil {
		c = new(counter)
		m.tenants[tenant] = c
	}
	return c
}

// Charge books n units for tenant and returns today's total.
func (m *Meter) Charge(tenant string, n uint64) uint64 {
	return m.counter(tenant).add(dayOf(m.now()), n)
}

// Used returns the units tenant has used today.
func (m *Meter) Used(tenant string) uint64 {
	day, used := m.counter(tenant).read()
	if day != dayOf(m.now()) {
		return 0
	}
	return used
}

// Invoice calls f for every tenant with usage on the latest day it was seen.
func (m *Meter) Invoice(f func(tenant string, day time.Time, units uint64)) {
	m.mu.RLock()
	snapshot := make(map[string]*counter, len(m.tenants))
	for name, c := range m.tenants {
		snapshot[name] = c
	}
	m.mu.RUnlock()
	for name, c := range snapshot {
		if day, used := c.read(); used > 0 {
			f(name, time.Unix(int64(day)*86400, 0).UTC(), used)
		}
	}
}
