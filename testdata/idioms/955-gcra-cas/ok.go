// Package throttle limits the rate of API calls per tenant.
package throttle

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Limit is a rate with a burst.
type Limit struct {
	Every time.Duration // per call in the long run
	Burst int           // calls at once
}

// bucket is a limiter after the generic cell rate algorithm. tat is the
// theoretical arrival time of the next call in nanoseconds since the epoch.
type bucket struct {
	tat atomic.Int64
}

// take admits n calls at the given time, or says how long to wait.
func (b *bucket) take(now time.Time, l Limit, n int) (wait time.Duration, ok bool) {
	at := now.UnixNano()
	cost := int64(n) * int64(l.Every)
	slack := int64(l.Burst) * int64(l.Every)
	for {
		tat := b.tat.Load()
		next := max(tat, at) + cost
		if over := next - at - slack; over > 0 {
			return time.Duration(over), false
		}
		if b.tat.CompareAndSwap(tat, next) {
			return 0, true
		}
	}
}

// refund takes back n calls that were admitted but not made.
func (b *bucket) refund(l Limit, n int) {
	b.tat.Add(-int64(n) * int64(l.Every))
}

// free returns how many calls would be admitted at the given time.
func (b *bucket) free(now time.Time, l Limit) int {
	ahead := max(b.tat.Load()-now.UnixNano(), 0)
	return max(l.Burst-int((ahead+int64(l.Every)-1)/int64(l.Every)), 0)
}

// Throttle limits tenants. It is safe for concurrent use.
type Throttle struct {
	limit   Limit
	buckets sync.Map // tenant -> *bucket; the set of tenants is small
}

// New returns a throttle with one limit for every tenant.
func New(l Limit) *Throttle { return &Throttle{limit: l} }

// bucket returns the bucket of a tenant. Buckets are never removed.
func (t *Throttle) bucket(tenant string) *bucket {
	if b, ok := t.buckets.Load(tenant); ok {
		return b.(*bucket)
	}
	b, _ := t.buckets.LoadOrStore(tenant, new(bucket))
	return b.(*bucket)
}

// Allow admits n calls of a tenant, or says when to come back.
func (t *Throttle) Allow(tenant string, n int) (wait time.Duration, ok bool) {
	return t.bucket(tenant).take(time.Now(), t.limit, n)
}

// Refund takes back calls that were admitted but not made.
func (t *Throttle) Refund(tenant string, n int) {
	t.bucket(tenant).refund(t.limit, n)
}

// Middleware admits one call per request. The tenant is taken from a header
// that the front end sets. Requests that next answers with 503 do not count.
func (t *Throttle) Middleware(header string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.Header.Get(header)
		wait, ok := t.Allow(tenant, 1)
		if !ok {
			secs := int64((wait + time.Second - 1) / time.Second)
			w.Header().Set("Retry-After", strconv.FormatInt(secs, 10))
			http.Error(w, "rate limit exceeded", http.StatusTooManyRequests)
			return
		}
		left := t.bucket(tenant).free(time.Now(), t.limit)
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(left))
		sw := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(sw, r)
		if sw.status == http.StatusServiceUnavailable {
			t.Refund(tenant, 1)
		}
	})
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}
