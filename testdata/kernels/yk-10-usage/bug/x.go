package bug

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type Record struct {
	Tenant   string
	Requests int64
	Bytes    int64
}

// Sink takes usage records for billing. All records are taken or none.
type Sink interface {
	Write(ctx context.Context, recs []Record) error
}

type meter struct {
	tenant   string
	requests atomic.Int64
	bytes    atomic.Int64
}

func (m *meter) sample() Record {
	return Record{Tenant: m.tenant, Requests: m.requests.Load(), Bytes: m.bytes.Load()}
}

// settle strikes off what has been billed.
func (m *meter) settle(r Record) {
	if r.Requests != 0 {
		m.requests.Store(0)
	}
	if r.Bytes != 0 {
		m.bytes.Store(0)
	}
}

// Reporter counts usage per tenant and ships it from time to time.
type Reporter struct {
	sink Sink

	flushMu sync.Mutex // one flush at a time

	mu     sync.RWMutex
	meters map[string]*meter
}

func NewReporter(sink Sink) *Reporter {
	return &Reporter{sink: sink, meters: make(map[string]*meter)}
}

func (r *Reporter) meter(tenant string) *meter {
	r.mu.RLock()
	m, ok := r.meters[tenant]
	r.mu.RUnlock()
	if ok {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.meters[tenant]; ok {
		return m
	}
	m = &meter{tenant: tenant}
	r.meters[tenant] = m
	return m
}

// Observe counts one request of a tenant.
func (r *Reporter) Observe(tenant string, bytes int64) {
	m := r.meter(tenant)
	m.requests.Add(1)
	m.bytes.Add(bytes)
}

func (r *Reporter) all() []*meter {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]*meter, 0, len(r.meters))
	for _, m := range r.meters {
		out = append(out, m)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].tenant < out[j].tenant })
	return out
}

// Flush ships what has been counted. After an error the counts stay and go
// out with the next flush.
func (r *Reporter) Flush(ctx context.Context) error {
	r.flushMu.Lock()
	defer r.flushMu.Unlock()
	var recs []Record
	var from []*meter
	for _, m := range r.all() {
		rec := m.sample()
		if rec.Requests == 0 && rec.Bytes == 0 {
			continue
		}
		recs = append(recs, rec)
		from = append(from, m)
	}
	if len(recs) == 0 {
		return nil
	}
	if err := r.sink.Write(ctx, recs); err != nil {
		return err
	}
	for i, m := range from {
		m.settle(recs[i])
	}
	return nil
}

// Run flushes at an interval, and a last time when the context ends.
func (r *Reporter) Run(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = r.Flush(ctx)
		case <-ctx.Done():
			return r.Flush(context.WithoutCancel(ctx))
		}
	}
}
