// Package budget bounds how many streams the tenants of a gateway may have
// open, each for itself and all together.
package budget

import (
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"sync/atomic"
)

// Errors for streams that are turned away.
var (
	ErrTenantLimit = errors.New("budget: tenant has too many streams")
	ErrTotalLimit  = errors.New("budget: gateway has too many streams")
)

// usage is a state of the budget. It is not changed once it is stored.
type usage struct {
	total   int
	tenants map[string]int
}

// Budget is safe for concurrent use. Opening streams is rare compared with
// looking at the usage, which the metrics and the balancer do all the time.
type Budget struct {
	perTenant int
	overall   int
	cur       atomic.Pointer[usage]
}

// New returns an unused budget.
func New(perTenant, overall int) *Budget {
	b := &Budget{perTenant: perTenant, overall: overall}
	b.cur.Store(&usage{tenants: map[string]int{}})
	return b
}

// Usage returns the open streams of a tenant and of all.
func (b *Budget) Usage(tenant string) (own, total int) {
	u := b.cur.Load()
	return u.tenants[tenant], u.total
}

// Open takes a stream out of the budget. The function that it returns gives
// the stream back; calls after the first do nothing.
func (b *Budget) Open(tenant string) (func(), error) {
	for {
		u := b.cur.Load()
		if err := b.admit(u, tenant); err != nil {
			return nil, err
		}
		if b.cur.CompareAndSwap(u, u.plus(tenant, 1)) {
			break
		}
	}
	var once sync.Once
	return func() { once.Do(func() { b.giveBack(tenant) }) }, nil
}

func (b *Budget) admit(u *usage, tenant string) error {
	switch {
	case u.total >= b.overall:
		return ErrTotalLimit
	case u.tenants[tenant] >= b.perTenant:
		return ErrTenantLimit
	}
	return nil
}

func (b *Budget) giveBack(tenant string) {
	u := b.cur.Load()
	for !b.cur.CompareAndSwap(u, u.plus(tenant, -1)) {
		u = b.cur.Load()
	}
}

func (u *usage) plus(tenant string, n int) *usage {
	next := &usage{total: u.total + n, tenants: maps.Clone(u.tenants)}
	if next.tenants[tenant] += n; next.tenants[tenant] == 0 {
		delete(next.tenants, tenant)
	}
	return next
}

// Serve accepts the streams of one tenant's listener until ctx ends or the
// listener fails. Streams above the limits are hung up on.
func (b *Budget) Serve(ctx context.Context, l net.Listener, tenant string, handle func(context.Context, net.Conn)) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		done, err := b.Open(tenant)
		if err != nil {
			conn.Close()
			continue
		}
		wg.Go(func() {
			defer done()
			defer conn.Close()
			handle(ctx, conn)
		})
	}
}
