// Package ratelimit limits the requests of API clients with the generic cell
// rate algorithm, which needs a single number per client: the theoretical
// arrival time of its next request.
package ratelimit

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// cell is the state of one client, in nanoseconds since the limiter's epoch.
type cell struct {
	tat atomic.Int64
}

// take admits one request at time now, or returns how long to wait.
func (c *cell) take(now, interval, tolerance int64) (wait int64, ok bool) {
	tat := max(c.tat.Load(), now)
	if early := tat - now - tolerance; early > 0 {
		return early, false
	}
	c.tat.Store(tat + interval)
	return 0, true
}

// Limiter is a set of rate limits by key, all with the same rate. It is safe
// for concurrent use.
type Limiter[K comparable] struct {
	epoch     time.Time
	interval  int64
	tolerance int64

	mu    sync.RWMutex
	cells map[K]*cell
}

// New returns a limiter that admits burst requests at once and one more every
// interval.
func New[K comparable](interval time.Duration, burst int) *Limiter[K] {
	return &Limiter[K]{
		epoch:     time.Now(),
		interval:  int64(interval),
		tolerance: int64(interval) * int64(burst-1),
		cells:     make(map[K]*cell),
	}
}

// cell returns the cell of a key. Cells are kept for good: keys are the ids of
// registered clients, of which there are a few thousand at most.
func (l *Limiter[K]) cell(key K) *cell {
	l.mu.RLock()
	c, ok := l.cells[key]
	l.mu.RUnlock()
	if ok {
		return c
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.cells[key]; ok {
		return c
	}
	c = new(cell)
	l.cells[key] = c
	return c
}

// Allow admits a request of the client, or says when to try again.
func (l *Limiter[K]) Allow(key K) (retry time.Duration, ok bool) {
	now := int64(time.Since(l.epoch))
	wait, ok := l.cell(key).take(now, l.interval, l.tolerance)
	return time.Duration(wait), ok
}

// Middleware applies the limiter to a handler.
func Middleware[K comparable](l *Limiter[K], key func(*http.Request) (K, bool), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, ok := key(r)
		if !ok {
			http.Error(w, "unknown client", http.StatusUnauthorized)
			return
		}
		if retry, ok := l.Allow(k); !ok {
			secs := int(retry/time.Second) + 1
			w.Header().Set("Retry-After", strconv.Itoa(secs))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
