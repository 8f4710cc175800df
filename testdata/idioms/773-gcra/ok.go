// Package gcra limits the request rate of each tenant of an API.
package gcra

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type bucket struct {
	tat     atomic.Int64 // theoretical arrival time, in ns since the epoch of the Limiter
	allowed atomic.Uint64
	refused atomic.Uint64
}

// Limiter admits one request per interval and bursts on top of that.
type Limiter struct {
	epoch    time.Time
	interval int64
	window   int64
	buckets  sync.Map // string -> *bucket
}

// New returns a limiter with the given rate per second and burst.
func New(rate float64, burst int) *Limiter {
	iv := int64(float64(time.Second) / rate)
	return &Limiter{epoch: time.Now(), interval: iv, window: iv * int64(burst)}
}

func (l *Limiter) bucket(tenant string) *bucket {
	if v, ok := l.buckets.Load(tenant); ok {
		return v.(*bucket)
	}
	v, _ := l.buckets.LoadOrStore(tenant, new(bucket))
	return v.(*bucket)
}

// Allow takes n tokens of the tenant. If there are not enough it returns how
// long they will take to come.
func (l *Limiter) Allow(tenant string, n int) (bool, time.Duration) {
	b := l.bucket(tenant)
	for {
		now := int64(time.Since(l.epoch))
		tat := b.tat.Load()
		next := max(tat, now) + int64(n)*l.interval
		if wait := next - now - l.window; wait > 0 {
			b.refused.Add(1)
			return false, time.Duration(wait)
		}
		if b.tat.CompareAndSwap(tat, next) {
			b.allowed.Add(1)
			return true, 0
		}
	}
}

// Penalize uses up the tenant's burst and makes it wait for d on top of that.
func (l *Limiter) Penalize(tenant string, d time.Duration) {
	b := l.bucket(tenant)
	until := int64(time.Since(l.epoch)) + int64(d) + l.window
	for {
		tat := b.tat.Load()
		if tat >= until {
			return
		}
		if b.tat.CompareAndSwap(tat, until) {
			return
		}
	}
}

// Refund gives n tokens back, for a request that failed on our side.
func (l *Limiter) Refund(tenant string, n int) {
	l.bucket(tenant).tat.Add(-int64(n) * l.interval)
}

// Counts returns how many requests of each tenant were allowed and refused.
func (l *Limiter) Counts() map[string][2]uint64 {
	out := make(map[string][2]uint64)
	l.buckets.Range(func(k, v any) bool {
		b := v.(*bucket)
		out[k.(string)] = [2]uint64{b.allowed.Load(), b.refused.Load()}
		return true
	})
	return out
}

// Middleware limits the requests to h by the tenant named in a header.
func (l *Limiter) Middleware(header string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ok, wait := l.Allow(r.Header.Get(header), 1)
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			http.Error(w, "rate limit exceeded", http.StatusTooManyRequests)
			return
		}
		h.ServeHTTP(w, r)
	})
}
