// Package inflight limits the bytes of requests that are handled at one time.
package inflight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrBusy     = errors.New("inflight: tenant is over its limit")
	ErrTooLarge = errors.New("inflight: request is larger than the limit")
)

const maxLimit = 1 << 40

// Budget is the limit of one tenant.
type Budget struct {
	limit    int64
	used     atomic.Int64
	rejected atomic.Uint64
}

// Acquire books n bytes. Near the limit it may refuse a request that would
// have fitted, when a larger one is refused at the same moment; clients try
// again anyway.
func (b *Budget) Acquire(n int64) error {
	if n < 0 || n > b.limit {
		return ErrTooLarge
	}
	if b.used.Load() >= b.limit {
		b.rejected.Add(1)
		return ErrBusy
	}
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		b.rejected.Add(1)
		return ErrBusy
	}
	return nil
}

// Release gives back what Acquire booked.
func (b *Budget) Release(n int64) { b.used.Add(-n) }

// Rejected counts the refused requests.
func (b *Budget) Rejected() uint64 { return b.rejected.Load() }

// Limiter has a budget for every tenant.
type Limiter struct {
	limit   int64
	tenants sync.Map // string to *Budget
}

// NewLimiter returns a limiter with the same limit for all tenants.
func NewLimiter(limit int64) *Limiter {
	return &Limiter{limit: min(max(limit, 1), maxLimit)}
}

// Budget returns the budget of a tenant.
func (l *Limiter) Budget(tenant string) *Budget {
	if b, ok := l.tenants.Load(tenant); ok {
		return b.(*Budget)
	}
	b, _ := l.tenants.LoadOrStore(tenant, &Budget{limit: l.limit})
	return b.(*Budget)
}

// Go runs fn in a goroutine with n bytes booked, if the tenant may.
func (l *Limiter) Go(ctx context.Context, tenant string, n int64, fn func(context.Context)) error {
	b := l.Budget(tenant)
	if err := b.Acquire(n); err != nil {
		return err
	}
	go func() {
		defer b.Release(n)
		fn(ctx)
	}()
	return nil
}
