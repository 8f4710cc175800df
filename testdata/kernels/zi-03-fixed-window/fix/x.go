// Package throttle limits the requests of each tenant per interval.
package throttle

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Plan says how much a tenant has paid for.
type Plan struct {
	Tenant string
	Limit  int64
}

// window counts the requests of one tenant in the current interval.
type window struct {
	limit int64

	mu    sync.Mutex
	start int64 // unix nanoseconds
	count int64
}

// Throttle is built once from the plans; the map is read-only afterwards.
type Throttle struct {
	interval time.Duration
	now      func() time.Time
	windows  map[string]*window
}

func New(interval time.Duration, plans []Plan) *Throttle {
	t := &Throttle{
		interval: interval,
		now:      time.Now,
		windows:  make(map[string]*window, len(plans)),
	}
	for _, p := range plans {
		t.windows[p.Tenant] = &window{limit: p.Limit}
	}
	return t
}

// take books one request and returns what is left of the limit; negative
// means that the request is over it.
func (w *window) take(now, interval int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now-w.start >= interval {
		w.start = now
		w.count = 0
	}
	w.count++
	return w.limit - w.count
}

// Allow reports whether the tenant may go on.
func (t *Throttle) Allow(tenant string) (remaining int64, ok bool) {
	w := t.windows[tenant]
	if w == nil {
		return 0, false
	}
	left := w.take(t.now().UnixNano(), int64(t.interval))
	if left < 0 {
		return 0, false
	}
	return left, true
}

// Used reports the requests booked in the current interval.
func (t *Throttle) Used(tenant string) int64 {
	w := t.windows[tenant]
	if w == nil {
		return 0
	}
	return w.used()
}

func (w *window) used() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// Wrap rejects the requests of tenants that are over their limit.
func (t *Throttle) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		left, ok := t.Allow(r.Header.Get("X-Tenant"))
		if !ok {
			rw.Header().Set("Retry-After", strconv.Itoa(int(t.interval/time.Second)))
			http.Error(rw, "too many requests", http.StatusTooManyRequests)
			return
		}
		rw.Header().Set("X-RateLimit-Remaining", strconv.FormatInt(left, 10))
		next.ServeHTTP(rw, r)
	})
}
