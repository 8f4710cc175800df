// Package meter counts the usage of tenants and reports it to billing.
package meter

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Billing takes usage records.
type Billing interface {
	Charge(ctx context.Context, tenant string, units int64) error
}

type meter struct {
	tenant string
	units  atomic.Int64
	stop   context.CancelFunc
	done   chan struct{}
}

func startMeter(b Billing, tenant string, every time.Duration) *meter {
	ctx, stop := context.WithCancel(context.Background())
	m := &meter{tenant: tenant, stop: stop, done: make(chan struct{})}
	go m.run(ctx, b, every)
	return m
}

func (m *meter) run(ctx context.Context, b Billing, every time.Duration) {
	defer close(m.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.report(ctx, b)
		case <-ctx.Done():
			m.report(context.WithoutCancel(ctx), b)
			return
		}
	}
}

func (m *meter) report(ctx context.Context, b Billing) {
	n := m.units.Swap(0)
	if n == 0 {
		return
	}
	if err := b.Charge(ctx, m.tenant, n); err != nil {
		m.units.Add(n)
		slog.Warn("usage not charged", "tenant", m.tenant, "units", n, "err", err)
	}
}

func (m *meter) close() {
	m.stop()
	<-m.done
}

var (
	meters  sync.Map // tenant -> *meter
	billing atomic.Pointer[config]
)

type config struct {
	b     Billing
	every time.Duration
}

// Configure sets where usage goes. It is called once, before any Count.
func Configure(b Billing, every time.Duration) error {
	if b == nil || every <= 0 {
		return fmt.Errorf("meter: bad configuration: every %v", every)
	}
	if !billing.CompareAndSwap(nil, &config{b, every}) {
		return fmt.Errorf("meter: already configured")
	}
	return nil
}

func meterOf(tenant string) *meter {
	if m, ok := meters.Load(tenant); ok {
		return m.(*meter)
	}
	cfg := billing.Load()
	if cfg == nil {
		return nil
	}
	m := startMeter(cfg.b, tenant, cfg.every)
	if have, loaded := meters.LoadOrStore(tenant, m); loaded {
		m.close()
		return have.(*meter)
	}
	return m
}

// Count adds units to a tenant's usage.
func Count(tenant string, units int64) {
	if m := meterOf(tenant); m != nil {
		m.units.Add(units)
	}
}

// Pending returns the units that have not been charged yet.
func Pending(tenant string) int64 {
	if m, ok := meters.Load(tenant); ok {
		return m.(*meter).units.Load()
	}
	return 0
}
