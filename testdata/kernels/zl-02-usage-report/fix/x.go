// Package fix accounts the ingested volume of tenants and reports it for billing.
package fix

import (
	"context"
	"sync"
	"time"
)

// Usage is what a tenant has sent.
type Usage struct {
	Bytes   int64
	Entries int64
	Last    time.Time
}

// Report is one billing record.
type Report struct {
	Tenant string
	Usage  Usage
}

// Sink takes billing records; a batch is taken whole or not at all.
type Sink interface {
	Submit(ctx context.Context, batch []Report) error
}

type ledger struct {
	sync.Mutex
	tenants map[string]*Usage
}

func (l *ledger) add(tenant string, bytes int, at time.Time) {
	l.Lock()
	defer l.Unlock()
	u := l.tenants[tenant]
	if u == nil {
		u = &Usage{}
		l.tenants[tenant] = u
	}
	u.Bytes += int64(bytes)
	u.Entries++
	u.Last = at
}

func (l *ledger) batch() []Report {
	l.Lock()
	defer l.Unlock()
	out := make([]Report, 0, len(l.tenants))
	for name, u := range l.tenants {
		out = append(out, Report{Tenant: name, Usage: *u})
	}
	return out
}

func (l *ledger) settle(batch []Report) {
	l.Lock()
	defer l.Unlock()
	for _, r := range batch {
		u := l.tenants[r.Tenant]
		u.Bytes -= r.Usage.Bytes
		u.Entries -= r.Usage.Entries
		if u.Entries == 0 {
			delete(l.tenants, r.Tenant)
		}
	}
}

// Meter collects usage from the write path.
type Meter struct {
	led  ledger
	sink Sink

	reporting sync.Mutex // one report at a time
	failures  int
}

func NewMeter(s Sink) *Meter {
	return &Meter{sink: s, led: ledger{tenants: make(map[string]*Usage)}}
}

// Observe is called for every entry written.
func (m *Meter) Observe(tenant string, line []byte) {
	m.led.add(tenant, len(line), time.Now())
}

// Report hands everything not yet billed to the sink. After a failure the
// amounts stay and are part of the next report.
func (m *Meter) Report(ctx context.Context) error {
	m.reporting.Lock()
	defer m.reporting.Unlock()
	batch := m.led.batch()
	if len(batch) == 0 {
		return nil
	}
	if err := m.sink.Submit(ctx, batch); err != nil {
		m.failures++
		return err
	}
	m.failures = 0
	m.led.settle(batch)
	return nil
}

// Failures is the number of reports that failed in a row.
func (m *Meter) Failures() int {
	m.reporting.Lock()
	defer m.reporting.Unlock()
	return m.failures
}

// Run reports periodically until ctx ends, and a last time then.
func (m *Meter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = m.Report(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			_ = m.Report(last)
			cancel()
			return
		}
	}
}
