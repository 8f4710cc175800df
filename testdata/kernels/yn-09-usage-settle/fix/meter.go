// Package fix meters what customers use and reports it to billing.
package fix

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Usage is an amount of use.
type Usage struct {
	Calls int64
	Bytes int64
}

// Line is the use of one customer since the last report.
type Line struct {
	Customer string
	Usage    Usage
}

// Billing takes reports. It adds up what it gets.
type Billing interface {
	Report(ctx context.Context, lines []Line) error
}

// tally is the use of a customer that has not been reported yet.
type tally struct {
	mu   sync.Mutex
	open Usage
}

func (t *tally) add(u Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open.Calls += u.Calls
	t.open.Bytes += u.Bytes
}

func (t *tally) amount() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

func (t *tally) settle(u Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open.Calls -= u.Calls
	t.open.Bytes -= u.Bytes
}

// Meter counts use and reports it from time to time.
type Meter struct {
	billing Billing
	tallies sync.Map // customer -> *tally
	failed  atomic.Int64

	reporting sync.Mutex // one report at a time
}

func NewMeter(b Billing) *Meter {
	return &Meter{billing: b}
}

// Run reports every period until ctx is done, and once more at the end.
func (m *Meter) Run(ctx context.Context, period time.Duration) error {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := m.Flush(ctx); err != nil {
				m.failed.Add(1)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), period)
			defer cancel()
			return m.Flush(last)
		}
	}
}

func (m *Meter) tally(customer string) *tally {
	if t, ok := m.tallies.Load(customer); ok {
		return t.(*tally)
	}
	t, _ := m.tallies.LoadOrStore(customer, &tally{})
	return t.(*tally)
}

// Record counts one call of a customer.
func (m *Meter) Record(customer string, bytes int64) {
	m.tally(customer).add(Usage{Calls: 1, Bytes: bytes})
}

// Open is what has not been reported for a customer.
func (m *Meter) Open(customer string) Usage {
	return m.tally(customer).amount()
}

// Flush reports what is open. If the report fails it stays open.
func (m *Meter) Flush(ctx context.Context) error {
	m.reporting.Lock()
	defer m.reporting.Unlock()

	lines := m.collect()
	if len(lines) == 0 {
		return nil
	}
	if err := m.billing.Report(ctx, lines); err != nil {
		return fmt.Errorf("flush %d lines: %w", len(lines), err)
	}
	m.settle(lines)
	return nil
}

func (m *Meter) collect() []Line {
	var lines []Line
	m.tallies.Range(func(k, v any) bool {
		if u := v.(*tally).amount(); u != (Usage{}) {
			lines = append(lines, Line{Customer: k.(string), Usage: u})
		}
		return true
	})
	return lines
}

func (m *Meter) settle(lines []Line) {
	for _, l := range lines {
		m.tally(l.Customer).settle(l.Usage)
	}
}

// Failed counts the reports that failed.
func (m *Meter) Failed() int64 { return m.failed.Load() }
