// Package ratelimit limits requests per client with the generic cell rate
// algorithm.
package ratelimit

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// evicted marks a cell that has been taken out of the map.
const evicted = -1

// Limiter keeps one cell per client key.
type Limiter struct {
	start    time.Time
	interval int64 // nanoseconds per request
	slack    int64 // nanoseconds that a client may be ahead
	cells    sync.Map
}

// New returns a limiter for rate requests per second with bursts of up to
// burst requests.
func New(rate float64, burst int) *Limiter {
	iv := int64(float64(time.Second) / rate)
	return &Limiter{start: time.Now(), interval: iv, slack: iv * int64(burst-1)}
}

func (l *Limiter) now() int64 {
	return int64(time.Since(l.start))
}

// Allow reports whether a request of key may proceed now. If not, it returns
// how long the client should wait.
func (l *Limiter) Allow(key string) (bool, time.Duration) {
	for {
		v, ok := l.cells.Load(key)
		if !ok {
			v, _ = l.cells.LoadOrStore(key, new(atomic.Int64))
		}
		cell := v.(*atomic.Int64)
		tat := cell.Load()
		if tat == evicted {
			l.cells.CompareAndDelete(key, v)
			continue
		}
		now := l.now()
		base := max(tat, now)
		if ahead := base - now; ahead > l.slack {
			return false, time.Duration(ahead - l.slack)
		}
		if cell.CompareAndSwap(tat, base+l.interval) {
			return true, 0
		}
	}
}

// evict drops the cells of clients that have no debt.
func (l *Limiter) evict() (n int) {
	l.cells.Range(func(k, v any) bool {
		cell := v.(*atomic.Int64)
		tat := cell.Load()
		if tat >= l.now() {
			return true
		}
		if tat == evicted || cell.CompareAndSwap(tat, evicted) {
			l.cells.CompareAndDelete(k, v)
			n++
		}
		return true
	})
	return n
}

// Run evicts idle clients every interval until ctx ends.
func (l *Limiter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.evict()
		}
	}
}

// Middleware rejects requests of clients that are over the limit.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		if ok, wait := l.Allow(host); !ok {
			w.Header().Set("Retry-After", strconv.Itoa(1+int(wait.Seconds())))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
