// Package quota limits requests of tenants and warns before the limit is reached.
package quota

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type bucket struct {
	mu    sync.Mutex
	used  int
	limit int
	reset time.Time
}

// take admits one request or tells when to come back.
func (b *bucket) take(now time.Time, window time.Duration) (ok bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !now.Before(b.reset) {
		b.used, b.reset = 0, now.Add(window)
	}
	if b.used >= b.limit {
		return false, b.reset.Sub(now)
	}
	b.used++
	return true, 0
}

func (b *bucket) usage() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *bucket) cap() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

func (b *bucket) setCap(n int) {
	b.mu.Lock()
	b.limit = n
	b.mu.Unlock()
}

type Limiter struct {
	window time.Duration
	limit  int
	log    *slog.Logger

	admitted atomic.Int64
	refused  atomic.Int64

	mu      sync.Mutex
	tenants map[string]*bucket
}

func New(limit int, window time.Duration, log *slog.Logger) *Limiter {
	return &Limiter{window: window, limit: limit, log: log, tenants: make(map[string]*bucket)}
}

func (l *Limiter) bucket(tenant string) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.tenants[tenant]
	if !ok {
		b = &bucket{limit: l.limit}
		l.tenants[tenant] = b
	}
	return b
}

func (l *Limiter) SetLimit(tenant string, n int) { l.bucket(tenant).setCap(n) }

// nearLimit is a hint; it may be off by the requests that run now.
func nearLimit(b *bucket) (pct int, near bool) {
	used := b.usage()
	limit := b.cap()
	if limit == 0 {
		return 100, true
	}
	pct = 100 * used / limit
	return pct, pct >= 90
}

func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.Header.Get("X-Tenant")
		b := l.bucket(tenant)
		ok, wait := b.take(time.Now(), l.window)
		if !ok {
			l.refused.Add(1)
			w.Header().Set("Retry-After", strconv.Itoa(1+int(wait.Seconds())))
			http.Error(w, "quota exceeded", http.StatusTooManyRequests)
			return
		}
		l.admitted.Add(1)
		if pct, near := nearLimit(b); near {
			w.Header().Set("X-Quota-Used", strconv.Itoa(pct))
			l.log.Warn("tenant is near its quota", "tenant", tenant, "percent", pct)
		}
		next.ServeHTTP(w, r)
	})
}

// Report logs the ratio of refused requests until ctx is done.
func (l *Limiter) Report(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			refused := l.refused.Load()
			if total := refused + l.admitted.Load(); total > 0 {
				l.log.Info("quota", "refused_percent", 100*refused/total)
			}
		}
	}
}
