// Package throttle has HTTP middleware that bounds the request rate of a route.
package throttle

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Rule bounds one route.
type Rule struct {
	Limit  int64
	Window time.Duration
}

// Report is told about each refused request.
type Report func(route string)

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

type settings struct {
	now    func() time.Time
	report Report
}

// Option changes how Throttle works.
type Option func(*settings)

// WithClock replaces the clock.
func WithClock(now func() time.Time) Option {
	return func(s *settings) { s.now = now }
}

// WithReport registers a callback for refused requests.
func WithReport(r Report) Option {
	return func(s *settings) { s.report = r }
}

func refuse(w http.ResponseWriter, wait time.Duration) {
	secs := int64(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.FormatInt(secs, 10))
	http.Error(w, "rate limit exceeded", http.StatusTooManyRequests)
}

// Throttle admits at most rule.Limit requests of a route in each window.
func Throttle(route string, rule Rule, opts ...Option) Middleware {
	cfg := settings{now: time.Now, report: func(string) {}}
	for _, o := range opts {
		o(&cfg)
	}

	return func(next http.Handler) http.Handler {
		var (
			opened atomic.Int64
			count  atomic.Int64
		)
		opened.Store(cfg.now().UnixNano())

		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			now := cfg.now().UnixNano()
			since := now - opened.Load()
			if since >= int64(rule.Window) {
				opened.Store(now)
				count.Store(0)
				since = 0
			}
			if count.Add(1) > rule.Limit {
				cfg.report(route)
				refuse(w, rule.Window-time.Duration(since))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Routes applies rules to the handlers of a service.
type Routes struct {
	mu      sync.Mutex
	mux     *http.ServeMux
	refused map[string]int
}

// NewRoutes returns an empty route set.
func NewRoutes() *Routes {
	return &Routes{mux: http.NewServeMux(), refused: make(map[string]int)}
}

func (rt *Routes) countRefused(route string) {
	rt.mu.Lock()
	rt.refused[route]++
	rt.mu.Unlock()
}

// Handle registers a handler under a rule.
func (rt *Routes) Handle(pattern string, rule Rule, h http.Handler) {
	mw := Throttle(pattern, rule, WithReport(rt.countRefused))
	rt.mux.Handle(pattern, mw(h))
}

// Refused returns how many requests of a route were refused.
func (rt *Routes) Refused(pattern string) int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.refused[pattern]
}

func (rt *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rt.mux.ServeHTTP(w, r)
}
