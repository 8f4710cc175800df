// Package quota meters what tenants use.
package quota

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

var (
	ErrTenant   = errors.New("quota: unknown tenant")
	ErrExceeded = errors.New("quota: exceeded")
	ErrPlan     = errors.New("quota: unknown plan")
)

// table is a map with a lock; rows go in and out by value.
type table[K comparable, V any] struct {
	mu   sync.RWMutex
	rows map[K]V
}

func newTable[K comparable, V any]() *table[K, V] {
	return &table[K, V]{rows: make(map[K]V)}
}

func (t *table[K, V]) get(k K) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.rows[k]
	return v, ok
}

func (t *table[K, V]) put(k K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[k] = v
}

// update changes the row with f; nothing is stored if f fails.
func (t *table[K, V]) update(k K, missing error, f func(*V) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.rows[k]
	if !ok {
		return missing
	}
	if err := f(&v); err != nil {
		return err
	}
	t.rows[k] = v
	return nil
}

type Usage struct {
	Plan    string    `json:"plan"`
	Limit   int64     `json:"limit"`
	Used    int64     `json:"used"`
	Changed time.Time `json:"changed"`
}

// Billing starts and ends paid plans.
type Billing interface {
	Switch(ctx context.Context, tenant, from, to string) error
}

type Quotas struct {
	billing Billing
	plans   map[string]int64
	usage   *table[string, Usage]
}

func New(b Billing, plans map[string]int64) *Quotas {
	return &Quotas{billing: b, plans: plans, usage: newTable[string, Usage]()}
}

func (q *Quotas) Register(tenant, plan string) error {
	limit, ok := q.plans[plan]
	if !ok {
		return fmt.Errorf("%w: %s", ErrPlan, plan)
	}
	q.usage.put(tenant, Usage{Plan: plan, Limit: limit, Changed: time.Now()})
	return nil
}

// Consume takes n units or fails with ErrExceeded.
func (q *Quotas) Consume(tenant string, n int64) error {
	return q.usage.update(tenant, ErrTenant, func(u *Usage) error {
		if u.Used+n > u.Limit {
			return fmt.Errorf("%w: %d of %d used", ErrExceeded, u.Used, u.Limit)
		}
		u.Used += n
		return nil
	})
}

// Refund gives back units of a request that failed.
func (q *Quotas) Refund(tenant string, n int64) error {
	return q.usage.update(tenant, ErrTenant, func(u *Usage) error {
		u.Used = max(u.Used-n, 0)
		return nil
	})
}

// ChangePlan moves the tenant to another plan once billing has agreed.
func (q *Quotas) ChangePlan(ctx context.Context, tenant, plan string) (Usage, error) {
	limit, ok := q.plans[plan]
	if !ok {
		return Usage{}, fmt.Errorf("%w: %s", ErrPlan, plan)
	}
	u, ok := q.usage.get(tenant)
	if !ok {
		return Usage{}, ErrTenant
	}
	if u.Plan == plan {
		return u, nil
	}
	if err := q.billing.Switch(ctx, tenant, u.Plan, plan); err != nil {
		return Usage{}, fmt.Errorf("billing %s: %w", tenant, err)
	}
	u.Plan, u.Limit, u.Changed = plan, limit, time.Now()
	q.usage.put(tenant, u)
	return u, nil
}

// Middleware charges one unit for each request.
func (q *Quotas) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := q.Consume(r.Header.Get("X-Tenant"), 1)
		switch {
		case errors.Is(err, ErrExceeded):
			w.Header().Set("Retry-After", strconv.Itoa(60))
			http.Error(w, err.Error(), http.StatusTooManyRequests)
		case err != nil:
			http.Error(w, err.Error(), http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (q *Quotas) ServePlan(w http.ResponseWriter, r *http.Request) {
	u, err := q.ChangePlan(r.Context(), r.PathValue("tenant"), r.FormValue("plan"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	_ = json.NewEncoder(w).Encode(u)
}
