// Package limit enforces per-tenant request quotas.
package limit

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Plan is what a tenant has paid for.
type Plan struct {
	Burst    int64
	PerTick  int64
	Interval time.Duration
}

// Plans looks up the plan of a tenant.
type Plans interface {
	PlanFor(tenant string) (Plan, bool)
}

type bucket struct {
	plan Plan

	mu     sync.Mutex
	tokens int64
	filled time.Time // start of the tick the bucket was last filled for
}

func newBucket(p Plan, now time.Time) *bucket {
	return &bucket{plan: p, tokens: p.Burst, filled: now}
}

// due returns how many ticks have gone by since the last fill, and the start
// of the newest of them.
func (b *bucket) due(now time.Time) (int64, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := int64(now.Sub(b.filled) / b.plan.Interval)
	return n, b.filled.Add(time.Duration(n) * b.plan.Interval)
}

// fill credits n ticks up to the given tick.
func (b *bucket) fill(n int64, upTo time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.plan.Burst, b.tokens+n*b.plan.PerTick)
	b.filled = upTo
}

// take spends cost tokens if there are that many.
func (b *bucket) take(cost int64) (left int64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < cost {
		return b.tokens, false
	}
	b.tokens -= cost
	return b.tokens, true
}

// admit brings the bucket up to date and charges a request of the given cost.
func (b *bucket) admit(now time.Time, cost int64) (int64, bool) {
	if n, upTo := b.due(now); n > 0 {
		b.fill(n, upTo)
	}
	return b.take(cost)
}

// Limiter holds a bucket for each tenant seen. It is safe for concurrent use.
type Limiter struct {
	plans   Plans
	now     func() time.Time
	buckets sync.Map // tenant -> *bucket
}

// New returns a Limiter that uses the given plans.
func New(plans Plans) *Limiter {
	return &Limiter{plans: plans, now: time.Now}
}

// Allow charges one request of the given cost to tenant.
func (l *Limiter) Allow(tenant string, cost int64) (left int64, ok bool) {
	now := l.now()
	v, known := l.buckets.Load(tenant)
	if !known {
		plan, ok := l.plans.PlanFor(tenant)
		if !ok {
			return 0, false
		}
		v, _ = l.buckets.LoadOrStore(tenant, newBucket(plan, now))
	}
	return v.(*bucket).admit(now, cost)
}

// Middleware rejects requests over quota with status 429.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left, ok := l.Allow(r.Header.Get("X-Tenant"), costOf(r))
		w.Header().Set("X-Quota-Left", strconv.FormatInt(left, 10))
		if !ok {
			http.Error(w, "quota exceeded", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func costOf(r *http.Request) int64 {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return 1
	}
	return 5
}
