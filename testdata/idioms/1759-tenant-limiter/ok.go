// Package a limits the request rate of each tenant of a query service.
package a

import (
	"sync"
	"time"
)

// Limit is a rate in requests per second with a burst.
type Limit struct {
	Rate  float64
	Burst float64
}

// bucket is a token bucket.
type bucket struct {
	mu     sync.Mutex
	limit  Limit
	tokens float64
	last   time.Time
}

func newBucket(l Limit, now time.Time) *bucket {
	return &bucket{limit: l, tokens: l.Burst, last: now}
}

// refillLocked adds what has accrued since the last call. Times come from
// several goroutines and may be a little out of order.
func (b *bucket) refillLocked(now time.Time) {
	if d := now.Sub(b.last); d > 0 {
		b.tokens = min(b.limit.Burst, b.tokens+d.Seconds()*b.limit.Rate)
		b.last = now
	}
}

func (b *bucket) take(now time.Time, n float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now)
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

func (b *bucket) setLimit(now time.Time, l Limit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now)
	b.limit = l
	b.tokens = min(b.tokens, l.Burst)
}

func (b *bucket) available(now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now)
	return b.tokens
}

// Limiter holds a bucket for each tenant that has sent a request. Tenants are
// few and stay; their buckets are never dropped.
type Limiter struct {
	def Limit
	now func() time.Time

	mu        sync.RWMutex
	overrides map[string]Limit
	buckets   map[string]*bucket
}

// NewLimiter returns a limiter with a default for all tenants.
func NewLimiter(def Limit) *Limiter {
	return &Limiter{
		def:       def,
		now:       time.Now,
		overrides: make(map[string]Limit),
		buckets:   make(map[string]*bucket),
	}
}

func (l *Limiter) find(tenant string) *bucket {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.buckets[tenant]
}

// bucketFor returns the bucket of a tenant, which is nearly always there.
func (l *Limiter) bucketFor(tenant string) *bucket {
	if b := l.find(tenant); b != nil {
		return b
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[tenant]; ok {
		return b
	}
	b := newBucket(l.limitLocked(tenant), l.now())
	l.buckets[tenant] = b
	return b
}

func (l *Limiter) limitLocked(tenant string) Limit {
	if o, ok := l.overrides[tenant]; ok {
		return o
	}
	return l.def
}

// Allow takes n tokens of the tenant if there are that many.
func (l *Limiter) Allow(tenant string, n int) bool {
	return l.bucketFor(tenant).take(l.now(), float64(n))
}

// SetOverride gives a tenant a limit of its own.
func (l *Limiter) SetOverride(tenant string, lim Limit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.overrides[tenant] = lim
	if b, ok := l.buckets[tenant]; ok {
		b.setLimit(l.now(), lim)
	}
}

// ClearOverride brings a tenant back to the default.
func (l *Limiter) ClearOverride(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.overrides, tenant)
	if b, ok := l.buckets[tenant]; ok {
		b.setLimit(l.now(), l.def)
	}
}

// Available is shown on the status page.
func (l *Limiter) Available(tenant string) float64 {
	if b := l.find(tenant); b != nil {
		return b.available(l.now())
	}
	return 0
}
