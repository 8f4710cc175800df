// Package metering counts billable usage per tenant and posts it to billing.
package metering

import (
	"context"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Key names one counter.
type Key struct {
	Tenant string
	Metric string
}

// Usage is the amount used since the last successful report.
type Usage struct {
	Key
	Amount int64
}

// Meter holds the counters. Request handlers call Record concurrently.
type Meter struct {
	counters sync.Map // Key -> *atomic.Int64
}

// Record adds amount to the tenant's counter.
func (m *Meter) Record(tenant, metric string, amount int64) {
	m.counter(Key{tenant, metric}).Add(amount)
}

func (m *Meter) counter(k Key) *atomic.Int64 {
	if c, ok := m.counters.Load(k); ok {
		return c.(*atomic.Int64)
	}
	c, _ := m.counters.LoadOrStore(k, new(atomic.Int64))
	return c.(*atomic.Int64)
}

// totals returns the non-zero counters in a stable order.
func (m *Meter) totals() []Usage {
	var out []Usage
	m.counters.Range(func(k, c any) bool {
		if n := c.(*atomic.Int64).Load(); n != 0 {
			out = append(out, Usage{Key: k.(Key), Amount: n})
		}
		return true
	})
	sortUsage(out)
	return out
}

// reset puts the counters back to zero.
func (m *Meter) reset() {
	m.counters.Range(func(_, c any) bool {
		c.(*atomic.Int64).Store(0)
		return true
	})
}

func sortUsage(u []Usage) {
	sort.Slice(u, func(i, j int) bool {
		if u[i].Tenant != u[j].Tenant {
			return u[i].Tenant < u[j].Tenant
		}
		return u[i].Metric < u[j].Metric
	})
}

// Billing receives usage reports.
type Billing interface {
	Post(ctx context.Context, usage []Usage) error
}

// Reporter posts the meter's contents at an interval. Its Run is the only
// caller of flush.
type Reporter struct {
	meter   *Meter
	billing Billing
	every   time.Duration
}

// NewReporter returns a reporter for meter.
func NewReporter(meter *Meter, billing Billing, every time.Duration) *Reporter {
	return &Reporter{meter: meter, billing: billing, every: every}
}

// Run reports until ctx ends, and once more on the way out. It is started once.
func (r *Reporter) Run(ctx context.Context) {
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			r.flush(last)
			return
		case <-tick.C:
			r.flush(ctx)
		}
	}
}

// flush posts the usage so far. After a failed post the amounts stay in the
// meter and go out with the next report.
func (r *Reporter) flush(ctx context.Context) {
	usage := r.meter.totals()
	if len(usage) == 0 {
		return
	}
	if err := r.billing.Post(ctx, usage); err != nil {
		slog.Warn("metering: post failed", "err", err, "counters", len(usage))
		return
	}
	r.meter.reset()
}
