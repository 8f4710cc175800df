package gateway

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gauge counts the requests of one API key that are being served.
type gauge struct {
	inflight atomic.Int64
}

func (g *gauge) enter(limit int64) bool {
	for {
		n := g.inflight.Load()
		if n >= limit {
			return false
		}
		if g.inflight.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (g *gauge) leave() { g.inflight.Add(-1) }

// Limiter caps the concurrent requests per API key. Keys come and go, so idle
// gauges are swept away.
type Limiter struct {
	limit int64

	mu     sync.Mutex
	gauges map[string]*gauge
}

func NewLimiter(limit int64) *Limiter {
	return &Limiter{limit: limit, gauges: make(map[string]*gauge)}
}

func (l *Limiter) gaugeLocked(key string) *gauge {
	g, ok := l.gauges[key]
	if !ok {
		g = new(gauge)
		l.gauges[key] = g
	}
	return g
}

// acquire admits one request of the key. The returned function ends it.
func (l *Limiter) acquire(key string) (release func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.gaugeLocked(key)
	if !g.enter(l.limit) {
		return nil, false
	}
	return g.leave, true
}

// sweep forgets keys without open requests.
func (l *Limiter) sweep() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for key, g := range l.gauges {
		if g.inflight.Load() == 0 {
			delete(l.gauges, key)
			n++
		}
	}
	return n
}

// Sweep runs the sweeper until ctx ends.
func (l *Limiter) Sweep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.sweep()
		}
	}
}

// Keys tells the number of active keys for the metrics endpoint.
func (l *Limiter) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.gauges)
}

// Wrap limits the requests to next.
func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-API-Key")
		if key == "" {
			http.Error(w, "missing API key", http.StatusUnauthorized)
			return
		}
		release, ok := l.acquire(key)
		if !ok {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many concurrent requests", http.StatusTooManyRequests)
			return
		}
		defer release()
		next.ServeHTTP(w, r)
	})
}

// Protect wraps a handler and starts the sweeper.
func Protect(ctx context.Context, next http.Handler, limit int64) http.Handler {
	l := NewLimiter(limit)
	go l.Sweep(ctx, time.Minute)
	return l.Wrap(next)
}
