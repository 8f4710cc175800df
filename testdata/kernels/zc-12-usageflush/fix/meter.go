// Package usage counts billable events and ships the counts to billing.
package usage

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Key names what is billed.
type Key struct {
	Customer string
	Product  string
}

// Line is one entry of a usage report.
type Line struct {
	Key   Key
	Units int64
}

// Billing accepts usage reports. A report is booked as a whole or not at all.
type Billing interface {
	Book(ctx context.Context, lines []Line) error
}

type counter struct {
	units atomic.Int64
}

// Meter counts units since the last report. It is safe for concurrent use.
type Meter struct {
	billing Billing
	log     *slog.Logger

	mu     sync.RWMutex
	period map[Key]*counter
}

// NewMeter returns a meter that reports to b.
func NewMeter(b Billing, log *slog.Logger) *Meter {
	return &Meter{billing: b, log: log, period: make(map[Key]*counter)}
}

// Record counts n units. It is called on every request.
func (m *Meter) Record(k Key, n int64) {
	if n <= 0 {
		return
	}
	if m.addExisting(k, n) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.period[k]
	if !ok {
		c = new(counter)
		m.period[k] = c
	}
	c.units.Add(n)
}

// addExisting counts n units if k has a counter in the current period. The
// lock is held until the units are in, so that Flush does not miss them.
func (m *Meter) addExisting(k Key, n int64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c, ok := m.period[k]
	if ok {
		c.units.Add(n)
	}
	return ok
}

// Current returns the units of k counted in the current period.
func (m *Meter) Current(k Key) int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if c, ok := m.period[k]; ok {
		return c.units.Load()
	}
	return 0
}

// rotate starts a new period and returns the counters of the old one.
func (m *Meter) rotate() map[Key]*counter {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.period
	m.period = make(map[Key]*counter, len(old))
	return old
}

// Flush reports the units counted since the last report. If billing refuses
// the report, its units are counted again.
func (m *Meter) Flush(ctx context.Context) error {
	old := m.rotate()
	if len(old) == 0 {
		return nil
	}
	lines := make([]Line, 0, len(old))
	for k, c := range old {
		lines = append(lines, Line{Key: k, Units: c.units.Load()})
	}
	if err := m.billing.Book(ctx, lines); err != nil {
		for _, l := range lines {
			m.Record(l.Key, l.Units)
		}
		return fmt.Errorf("usage: flush: %w", err)
	}
	return nil
}

// Run flushes every interval until ctx ends, and once more then.
func (m *Meter) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := m.Flush(ctx); err != nil {
				m.log.Warn("will retry", "err", err)
			}
		case <-ctx.Done():
			if err := m.Flush(context.WithoutCancel(ctx)); err != nil {
				m.log.Error("usage lost", "err", err)
			}
			return
		}
	}
}
