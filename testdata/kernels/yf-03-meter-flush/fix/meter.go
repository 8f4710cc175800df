// Package metering counts billable usage per tenant in memory and ships it to
// the billing service at intervals.
package metering

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Key names one counter.
type Key struct {
	Tenant   string
	Resource string
}

func (k Key) String() string { return k.Tenant + "/" + k.Resource }

// Sample is an amount of usage that has not been billed yet.
type Sample struct {
	Key    Key
	Amount int64
}

// Sink accepts usage for billing. A batch is accepted as a whole or not at all,
// and batches add up.
type Sink interface {
	Report(ctx context.Context, batch []Sample) error
}

// Meter accumulates usage. Record is on the path of every request; Flush runs
// from the reporting loop and from the admin endpoint.
type Meter struct {
	sink     Sink
	maxBatch int

	counters sync.Map // Key -> *atomic.Int64

	flushMu sync.Mutex // one Flush at a time
}

// New returns a meter that reports to sink in batches of at most maxBatch.
func New(sink Sink, maxBatch int) *Meter {
	if maxBatch <= 0 {
		maxBatch = 500
	}
	return &Meter{sink: sink, maxBatch: maxBatch}
}

func (m *Meter) counter(k Key) *atomic.Int64 {
	if c, ok := m.counters.Load(k); ok {
		return c.(*atomic.Int64)
	}
	c, _ := m.counters.LoadOrStore(k, new(atomic.Int64))
	return c.(*atomic.Int64)
}

// Record adds n units of a resource to the tenant's usage.
func (m *Meter) Record(tenant, resource string, n int64) {
	if n <= 0 {
		return
	}
	m.counter(Key{Tenant: tenant, Resource: resource}).Add(n)
}

// Unbilled returns how much of a resource the tenant has used that the billing
// service has not accepted yet.
func (m *Meter) Unbilled(tenant, resource string) int64 {
	c, ok := m.counters.Load(Key{Tenant: tenant, Resource: resource})
	if !ok {
		return 0
	}
	return c.(*atomic.Int64).Load()
}

// Flush reports all unbilled usage. Usage in batches the sink refuses stays on
// the books and is part of the next Flush.
func (m *Meter) Flush(ctx context.Context) error {
	m.flushMu.Lock()
	defer m.flushMu.Unlock()

	var samples []Sample
	m.counters.Range(func(k, c any) bool {
		if n := c.(*atomic.Int64).Load(); n > 0 {
			samples = append(samples, Sample{Key: k.(Key), Amount: n})
		}
		return true
	})
	for len(samples) > 0 {
		batch := samples
		if len(batch) > m.maxBatch {
			batch = batch[:m.maxBatch]
		}
		samples = samples[len(batch):]
		if err := m.sink.Report(ctx, batch); err != nil {
			return fmt.Errorf("metering: report %d samples from %v: %w", len(batch), batch[0].Key, err)
		}
		for _, s := range batch {
			m.counter(s.Key).Add(-s.Amount)
		}
	}
	return nil
}

// Run flushes every interval until ctx ends, and once more on the way out.
func (m *Meter) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := m.Flush(ctx); err != nil {
				log.Print(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			if err := m.Flush(last); err != nil {
				log.Print(err)
			}
			cancel()
			return
		}
	}
}
