// Package usage meters tenants and reports what they consumed.
package usage

import (
	"context"
	"log"
	"sync"
	"time"
)

// Totals is the consumption of one tenant since the last report.
type Totals struct {
	Requests int64
	Bytes    int64
}

func (t *Totals) add(o Totals) {
	t.Requests += o.Requests
	t.Bytes += o.Bytes
}

// Billing accepts reports; an error means that nothing was recorded.
type Billing interface {
	Charge(ctx context.Context, tenants map[string]Totals) error
}

// Meter collects usage. Its methods may be called concurrently.
type Meter struct {
	billing Billing

	mu      sync.Mutex
	pending map[string]Totals
	events  int
	limit   int

	full chan struct{}
}

// NewMeter reports early when limit events have been recorded.
func NewMeter(billing Billing, limit int) *Meter {
	return &Meter{
		billing: billing,
		pending: make(map[string]Totals),
		limit:   limit,
		full:    make(chan struct{}, 1),
	}
}

// Record adds one request of a tenant.
func (m *Meter) Record(tenant string, bytes int64) {
	m.mu.Lock()
	t := m.pending[tenant]
	t.add(Totals{Requests: 1, Bytes: bytes})
	m.pending[tenant] = t
	m.events++
	full := m.events >= m.limit
	m.mu.Unlock()

	if full {
		select {
		case m.full <- struct{}{}:
		default:
		}
	}
}

// Flush reports what is pending. Usage that cannot be reported stays pending.
func (m *Meter) Flush(ctx context.Context) error {
	m.mu.Lock()
	batch := m.pending
	m.pending = make(map[string]Totals, len(batch))
	m.events = 0
	m.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	err := m.billing.Charge(ctx, batch)
	if err == nil {
		return nil
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	for tenant, t := range batch {
		sum := m.pending[tenant]
		sum.add(t)
		m.pending[tenant] = sum
	}
	return err
}

// Run flushes every interval, when the meter is full, and when ctx ends.
func (m *Meter) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := m.Flush(last); err != nil {
				log.Printf("usage: final flush: %v", err)
			}
			return
		case <-t.C:
		case <-m.full:
		}
		if err := m.Flush(ctx); err != nil {
			log.Printf("usage: flush: %v", err)
		}
	}
}
