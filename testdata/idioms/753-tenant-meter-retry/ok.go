// Package meter counts API calls by tenant and writes the counts to billing.
package meter

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"
)

// Usage is a billing record.
type Usage struct {
	Tenant string
	Calls  map[string]int64
	From   time.Time
	To     time.Time
}

// Billing stores records.
type Billing interface {
	Write(ctx context.Context, u Usage) error
}

// counter belongs to a tenant that is active.
type counter struct {
	mu      sync.Mutex
	calls   map[string]int64
	from    time.Time
	retired bool
}

// add counts calls; it fails once the counter was retired.
func (c *counter) add(op string, n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retired {
		return false
	}
	c.calls[op] += n
	return true
}

// cut returns the counts so far and starts again from zero.
func (c *counter) cut(tenant string, now time.Time) Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := Usage{Tenant: tenant, Calls: maps.Clone(c.calls), From: c.from, To: now}
	clear(c.calls)
	c.from = now
	return u
}

// retire ends an idle counter.
func (c *counter) retire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = c.retired || len(c.calls) == 0
	return c.retired
}

// Meter holds the counters.
type Meter struct {
	billing Billing
	log     *slog.Logger

	mu      sync.RWMutex
	tenants map[string]*counter
}

// New returns a meter without tenants.
func New(b Billing, log *slog.Logger) *Meter {
	return &Meter{billing: b, log: log, tenants: make(map[string]*counter)}
}

func (m *Meter) counter(tenant string) *counter {
	m.mu.RLock()
	c, ok := m.tenants[tenant]
	m.mu.RUnlock()
	if ok {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok = m.tenants[tenant]; !ok {
		c = &counter{calls: make(map[string]int64), from: time.Now()}
		m.tenants[tenant] = c
	}
	return c
}

// Count adds calls of a tenant.
func (m *Meter) Count(tenant, op string, n int64) {
	for !m.counter(tenant).add(op, n) {
	}
}

// Middleware counts the requests of a handler.
func (m *Meter) Middleware(tenant func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.Count(tenant(r), r.Method, 1)
		next.ServeHTTP(w, r)
	})
}

func (m *Meter) snapshot() map[string]*counter {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return maps.Clone(m.tenants)
}

func (m *Meter) prune() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for t, c := range m.tenants {
		if c.retire() {
			delete(m.tenants, t)
			n++
		}
	}
	return n
}

func (m *Meter) settle(ctx context.Context, now time.Time) error {
	for tenant, c := range m.snapshot() {
		u := c.cut(tenant, now)
		if len(u.Calls) == 0 {
			continue
		}
		if err := m.billing.Write(ctx, u); err != nil {
			for op, n := range u.Calls {
				m.Count(tenant, op, n)
			}
			return fmt.Errorf("bill %s: %w", tenant, err)
		}
	}
	return nil
}

// Run settles at each period until ctx is done.
func (m *Meter) Run(ctx context.Context, period time.Duration) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			idle := m.prune()
			err := m.settle(ctx, now)
			m.log.Info("usage settled", "idle", idle, "err", err)
		}
	}
}
